package org.sparkcsql.queries

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}

/** One run of a continuous query in this application; it stays known after its end. */
private[queries] final class RunningQuery(
    val name: String,
    val query: StreamingQuery,
    val totals: QueryTotals,
    val lock: QueryLock) {
  @volatile private var stopping = false
  @volatile private var lost = false
  private var isRecorded = false

  def isActive: Boolean = query.isActive

  /** Whether it runs and nobody has given it up. */
  def isWanted: Boolean = !lost && query.isActive

  /** Stops it and waits until it has ended. */
  def stop(): Unit = {
    stopping = true
    query.stop()
    totals.awaitEnd()
  }

  /** Its end is no end of the query: somebody else has taken it over, or may do so now. */
  def lose(): Unit = lost = true

  def giveUp(): Unit = {
    lose()
    query.stop()
  }

  /** Waits for a run that ends: Spark takes its name for used a moment longer than it is active. */
  def awaitEnd(): Unit =
    try query.awaitTermination(RunningQuery.MostMillis): Unit
    catch { case _: StreamingQueryException => } // how it ended is told by DESCRIBE

  /** How it ended, until that is written down. */
  def unrecorded: Option[QueryEnd] = synchronized {
    if (isRecorded || query.isActive) None
    else if (lost) Some(QueryEnd.GivenUp)
    else if (stopping) Some(QueryEnd.Stopped)
    else Some(query.exception.fold[QueryEnd](QueryEnd.Finished)(QueryEnd.Failed(_)))
  }

  def recorded(): Unit = synchronized { isRecorded = true }
}

private object RunningQuery {
  private val MostMillis = 30000L
}

private[queries] sealed trait QueryEnd
private[queries] object QueryEnd {
  case object Stopped extends QueryEnd
  case object Finished extends QueryEnd
  case object GivenUp extends QueryEnd
  final case class Failed(error: Throwable) extends QueryEnd
}
