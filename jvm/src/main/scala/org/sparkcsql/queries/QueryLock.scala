package org.sparkcsql.queries

import java.util.UUID

import org.apache.hadoop.fs.FileAlreadyExistsException
import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.storage.WarehouseFolder

/**
 * Lets one application at a time run a query: a file that says who does, and that its owner rewrites
 * every few seconds.
 *
 * Whoever finds the file watches it for the time of a lease. If it changes, its owner lives and the
 * query is his; if not, he is gone (killed, say) and the file is taken over. Only changes are
 * observed, no clocks compared, so clocks of different machines need not agree. An owner that was
 * stopped for longer than a lease finds a foreign file when it wakes, and stops its query. What it
 * may have begun by then does no harm: both write the same checkpoint, whose log lets a batch be
 * committed once (Spark fails the second one), and the table shows only files of committed batches.
 */
private[queries] final class QueryLock(folder: WarehouseFolder, file: String, session: SparkSession) {
  private val owner = s"${session.sparkContext.applicationId} ${UUID.randomUUID()}"
  private var beats = 0L
  @volatile private var lastBeat = 0L

  /** Who holds it now, if it is held; waits as long as it takes to be sure. */
  def acquire(): Option[String] = {
    val deadline = System.nanoTime() + QueryLock.LeaseMillis * 1000000
    val seen = folder.read(file)
    var now = seen
    while (now.isDefined && now == seen && System.nanoTime() < deadline) {
      Thread.sleep(QueryLock.BeatMillis / 4)
      now = folder.read(file)
    }
    if (now.isDefined && now != seen) now.map(QueryLock.ownerOf)
    else {
      if (now.isDefined) folder.delete(file)
      try {
        folder.write(file, content, replace = false)
        lastBeat = System.nanoTime()
        if (now.isDefined) anotherHeir() else None
      } catch {
        case _: FileAlreadyExistsException => folder.read(file).map(QueryLock.ownerOf).orElse(Some(""))
      }
    }
  }

  /** Who else took the file of the same owner over, and this one's file for it. */
  private def anotherHeir(): Option[String] = {
    Thread.sleep(QueryLock.BeatMillis / 4)
    Some(folder.read(file).fold("")(QueryLock.ownerOf)).filter(_ != owner)
  }

  /** Tells that the owner lives; false if somebody else has taken over. */
  def beat(): Boolean = {
    val mine = isMine
    if (mine) {
      beats += 1
      folder.write(file, content, replace = true)
      lastBeat = System.nanoTime()
    }
    mine
  }

  /** True if no sign of life could be given for so long that another application may have taken over. */
  def isOverdue: Boolean = System.nanoTime() - lastBeat > QueryLock.LeaseMillis * 1000000

  def release(): Unit = if (isMine) folder.delete(file)

  def isMine: Boolean = folder.read(file).exists(QueryLock.ownerOf(_) == owner)

  /** For SHOW, which must not wait: has somebody given a sign of life lately? */
  def seemsHeld: Boolean =
    folder.modified(file).exists(_ > System.currentTimeMillis() - QueryLock.LeaseMillis)

  private def content: String = s"$owner\n$beats"
}

private[queries] object QueryLock {
  val LeaseMillis = 10000L
  val BeatMillis = 2000L

  private def ownerOf(content: String): String = content.linesIterator.nextOption().getOrElse("")
}
