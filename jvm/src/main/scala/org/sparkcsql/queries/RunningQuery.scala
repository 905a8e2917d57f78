package org.sparkcsql.queries

import org.apache.spark.sql.streaming.StreamingQuery

/** One run of a continuous query in this application; it stays known after its end. */
private[queries] final class RunningQuery(
    val name: String,
    val query: StreamingQuery,
    val totals: QueryTotals,
    val lock: QueryLock) {
  @volatile private var stopping = false
  @volatile private var lost = false
  private var closed = false

  def isActive: Boolean = query.isActive

  /** Stops it and waits until it has ended. */
  def stop(): Unit = {
    stopping = true
    query.stop()
    totals.awaitEnd()
  }

  /** Stops it without a word: somebody else has taken the query over, or may do so now. */
  def giveUp(): Unit = {
    lost = true
    query.stop()
  }

  /** How it ended, the first time this is asked: the end is to be recorded once. */
  def close(): Option[QueryEnd] = synchronized {
    if (closed || query.isActive) None
    else {
      closed = true
      Some(
        if (lost) QueryEnd.TakenOver
        else if (stopping) QueryEnd.Stopped
        else query.exception.fold[QueryEnd](QueryEnd.Finished)(QueryEnd.Failed(_)))
    }
  }
}

private[queries] sealed trait QueryEnd
private[queries] object QueryEnd {
  case object Stopped extends QueryEnd
  case object Finished extends QueryEnd
  case object TakenOver extends QueryEnd
  final case class Failed(error: Throwable) extends QueryEnd
}
