package org.sparkcsql.queries

import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}

import scala.collection.concurrent.TrieMap
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.errors.CsqlErrors

/**
 * The continuous queries of an application. Every session of it sees the same ones; what is to outlive
 * the application is in the [[QueryStore]].
 *
 * Statements that change something are done one after another; SHOW and DESCRIBE wait for nothing.
 */
final class QueryRegistry private (session: SparkSession) extends Logging {
  private[queries] val store = new QueryStore(session)
  private val tables = new QueryTable(session)
  private val runs = TrieMap.empty[String, RunningQuery]
  private val sessions = TrieMap.empty[String, SparkSession]

  private val heart = Executors.newSingleThreadScheduledExecutor { task: Runnable =>
    val thread = new Thread(task, "csql-query-locks")
    thread.setDaemon(true)
    thread
  }
  heart.scheduleWithFixedDelay(
    () => beat(),
    QueryLock.BeatMillis,
    QueryLock.BeatMillis,
    TimeUnit.MILLISECONDS)

  /** Does something while no other statement changes anything. */
  private[queries] def oneByOne[T](act: => T): T = synchronized(act)

  /** Defines a query and starts it; nothing is left behind if it does not start. */
  private[queries] def create(definition: QueryDefinition, at: Origin): Unit = synchronized {
    store.all.find(_.tableName == definition.tableName).foreach { other =>
      CsqlErrors.analysis(
        "CSQL_QUERY_TABLE",
        at,
        "table" -> definition.tableName.unquotedString,
        "reason" -> s"the continuous query ${other.name} writes it")
    }
    val lock = acquire(definition.name, at)
    val isNew = !tables.isThere(definition.tableName)
    try {
      // what a DROP that was cut short has left; a folder that the user names is empty
      if (isDefault(definition.checkpoint, definition.name)) deleteCheckpoint(definition)
      store.save(definition)
      tables.register(definition)
      start(definition, lock)
    } catch {
      case e: Throwable =>
        try {
          sessions.remove(key(definition))
          store.delete(definition.name)
          deleteCheckpoint(definition)
          if (isNew)
            session.sessionState.catalog.dropTable(
              definition.tableName,
              ignoreIfNotExists = true,
              purge = false)
          else tables.release(definition)
        } catch {
          case NonFatal(another) => e.addSuppressed(another)
        } finally lock.release()
        throw e
    }
  }

  private[queries] def resume(definition: QueryDefinition, at: Origin): Unit = synchronized {
    runs.get(key(definition)).filterNot(_.isWanted).foreach(_.awaitEnd())
    if (!runsHere(definition)) resume(definition.name, acquire(definition.name, at), at)
  }

  private def resume(name: String, lock: QueryLock, at: Origin): Unit = synchronized {
    val definition = current(name, lock, at)
    try {
      tables.requireAnswers(definition)
      tables.register(definition)
      start(definition, lock)
    } catch {
      case e: Throwable =>
        store.save(definition)
        lock.release()
        throw e
    }
  }

  /**
   * Resumes what ran when the last application ended, and tells of each query how that went. Queries that were
   * stopped by a statement, have failed or are finished stay as they are.
   */
  def resumeInterrupted(): Seq[(String, Option[Throwable])] = {
    val interrupted = store.all.filter(d => d.lastStatus == QueryStatus.Running && !runs.contains(key(d)))
    // Each lock of a killed application takes seconds to be taken over: so all are watched at once.
    val watchers = Executors.newCachedThreadPool()
    try {
      val locks =
        interrupted.map(definition => watchers.submit(() => Try(acquire(definition.name, Origin()))))
      interrupted.zip(locks.map(_.get())).map { case (definition, lock) =>
        val resumed = lock.flatMap(held => Try(resume(definition.name, held, Origin())))
        definition.name -> resumed.failed.toOption
      }
    } finally watchers.shutdown()
  }

  private[queries] def stop(definition: QueryDefinition, at: Origin): Unit = synchronized {
    if (runsHere(definition)) stopHere(definition)
    else {
      val lock = acquire(definition.name, at) // refused if it runs elsewhere
      try {
        val found = current(definition.name, lock, at)
        // its application ended without stopping it
        if (found.lastStatus == QueryStatus.Running) store.save(found.now(QueryStatus.Stopped))
      } finally lock.release()
    }
  }

  private[queries] def drop(definition: QueryDefinition, at: Origin): Unit = synchronized {
    if (runsHere(definition)) stopHere(definition)
    val lock = acquire(definition.name, at)
    try {
      runs.remove(key(definition))
      sessions.remove(key(definition))
      store.delete(definition.name)
      deleteCheckpoint(definition)
    } finally lock.release()
  }

  private def stopHere(definition: QueryDefinition): Unit = {
    val run = runs(key(definition))
    run.stop()
    record(run)
  }

  /** The definition now that the lock is held: while it was waited for, somebody may have dropped the query. */
  private def current(name: String, lock: QueryLock, at: Origin): QueryDefinition =
    store.find(name).getOrElse {
      lock.release()
      CsqlErrors.analysis("CSQL_QUERY_NOT_FOUND", at, "name" -> name)
    }

  private[queries] def status(definition: QueryDefinition): QueryStatus = definition.lastStatus match {
    case QueryStatus.Running =>
      val here = runs.get(key(definition))
      if (here.exists(_.isActive)) QueryStatus.Running
      else {
        here.foreach(record)
        store.find(definition.name).fold[QueryStatus](QueryStatus.Stopped)(_.lastStatus) match {
          // its application ended without stopping it, or lost it
          case QueryStatus.Running if !store.lock(definition.name).seemsHeld => QueryStatus.Stopped
          case known => known
        }
      }
    case ended => ended
  }

  private[queries] def run(definition: QueryDefinition): Option[RunningQuery] = runs.get(key(definition))

  private def key(definition: QueryDefinition): String = store.key(definition.name)

  private def acquire(name: String, at: Origin): QueryLock = {
    val lock = store.lock(name)
    lock.acquire().foreach { owner =>
      CsqlErrors.analysis("CSQL_QUERY_ELSEWHERE", at, "name" -> name, "owner" -> owner)
    }
    lock
  }

  /** A run that has ended is written down first, which frees its lock. */
  private def runsHere(definition: QueryDefinition): Boolean = runs.get(key(definition)).exists { run =>
    if (!run.isActive) record(run)
    run.isActive
  }

  private def start(definition: QueryDefinition, lock: QueryLock): Unit = {
    QueryRegistry.filled.add(definition.location)
    // Before it starts: how it ends must be the last thing that is written.
    store.save(definition.now(QueryStatus.Running))
    // Spark never forgets the listeners of a session, so a query has one for all its runs.
    val owned = sessions.getOrElseUpdate(key(definition), session.newSession())
    val run = new QueryStart(owned, definition, lock).start(record)
    runs.put(key(definition), run)
    // It may have ended before it was put there.
    if (!run.isActive) record(run)
  }

  /** Writes down how a run ended and frees the query for others. */
  private def record(run: RunningQuery): Unit = run.synchronized {
    // With the application ends everything that runs in it: that is neither a failure nor asked for.
    if (!session.sparkContext.isStopped && runs.get(store.key(run.name)).contains(run))
      run.unrecorded.foreach { end =>
        // whoever took over writes
        if (run.lock.isMine) store.find(run.name).foreach { definition =>
          end match {
            case QueryEnd.Stopped => store.save(definition.now(QueryStatus.Stopped))
            case QueryEnd.Finished => store.save(definition.now(QueryStatus.Finished))
            case QueryEnd.Failed(error) => store.save(definition.now(QueryStatus.Failed, Some(error)))
            case QueryEnd.GivenUp =>
          }
        }
        run.recorded()
        run.lock.release()
      }
  }

  private def isDefault(checkpoint: String, name: String): Boolean = {
    val own = store.defaultCheckpoint(name)
    own.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(own).toString == checkpoint
  }

  private def deleteCheckpoint(definition: QueryDefinition): Unit = {
    val path = new Path(definition.checkpoint)
    val system = path.getFileSystem(session.sessionState.newHadoopConf())
    if (system.exists(path)) {
      val parts = system.listStatus(path).map(_.getPath)
      parts.filter(part => QueryRegistry.isOfCheckpoint(part.getName)).foreach(system.delete(_, true))
      // what else somebody has put there is his
      if (parts.forall(part => QueryRegistry.isOfCheckpoint(part.getName))) system.delete(path, true): Unit
    }
  }

  private def beat(): Unit = runs.values.filter(_.isWanted).foreach { run =>
    try
      if (!run.lock.beat()) {
        logError(s"Another application has taken over the continuous query ${run.name}; it is stopped here")
        giveUp(run)
      }
    catch {
      case NonFatal(e) =>
        logWarning(s"The lock of the continuous query ${run.name} could not be renewed", e)
        if (run.lock.isOverdue) {
          logError(
            s"The continuous query ${run.name} is stopped: another application may take it over by now")
          giveUp(run)
        }
    }
  }

  /** Elsewhere: a query that takes long to stop must not keep the locks of the others from being renewed. */
  private def giveUp(run: RunningQuery): Unit = {
    val thread = new Thread(() => run.giveUp(), s"csql-give-up-${run.name}")
    thread.setDaemon(true)
    run.lose()
    thread.start()
  }

  /** Stops every query; each counts as running still, so that it can be resumed. */
  private def interrupt(): Unit = synchronized(runs.values.filter(_.isActive).foreach(_.giveUp()))

  private def close(): Unit = {
    heart.shutdownNow()
    runs.values.foreach(_.lock.release())
  }
}

object QueryRegistry {
  private val registries = new ConcurrentHashMap[String, QueryRegistry]()
  private val filled = ConcurrentHashMap.newKeySet[String]()

  /** Whether a continuous query of this process has written to the table in a folder. */
  private[queries] def fills(location: java.net.URI): Boolean = filled.contains(location.toString)

  private val partsOfCheckpoint = Set("metadata", "offsets", "commits", "sources", "state")

  /** What Spark writes into a checkpoint; its checksums are hidden files. */
  private def isOfCheckpoint(name: String): Boolean =
    partsOfCheckpoint(name.stripPrefix(".").stripSuffix(".crc"))

  /** Before an application ends in order: what runs would fail with it, and Spark would say so at length. */
  def interruptAll(): Unit = registries.values.forEach(_.interrupt())

  /** The one of this session's application. */
  def of(session: SparkSession): QueryRegistry =
    registries.computeIfAbsent(session.sparkContext.applicationId, application => open(session, application))

  private def open(session: SparkSession, application: String): QueryRegistry = {
    val registry = new QueryRegistry(session.newSession())
    session.sparkContext.addSparkListener(new SparkListener {
      override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = {
        registries.remove(application)
        registry.close()
      }
    })
    registry
  }
}
