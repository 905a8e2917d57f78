package org.sparkcsql.queries

import java.util.UUID
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.sql.streaming.{StreamingQueryListener, StreamingQueryProgress}
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.sparkcsql.source.RejectedRows

/**
 * Adds up what one run of a query reports. A query keeps its last hundred reports only, so they are
 * counted as they come.
 */
private[queries] final class QueryTotals(onEnd: () => Unit) extends StreamingQueryListener {
  private val ended = new CountDownLatch(1)
  @volatile private var runId: Option[UUID] = None

  @volatile private var batchCount = 0L
  @volatile private var lateCount = 0L
  @volatile private var rejectedCount = 0L
  @volatile private var lastEventTime: Option[String] = None
  @volatile private var lastWatermark: Option[String] = None

  def batches: Long = batchCount
  def lateRows: Long = lateCount
  def rejectedRows: Long = rejectedCount

  /** The largest time in the last batch that had one. */
  def eventTime: Option[String] = lastEventTime
  def watermark: Option[String] = lastWatermark

  /** Waits until everything that the ended run reported is counted. */
  def awaitEnd(): Unit = ended.await(10, TimeUnit.SECONDS)

  override def onQueryStarted(event: QueryStartedEvent): Unit = runId = Some(event.runId)

  override def onQueryProgress(event: QueryProgressEvent): Unit =
    if (runId.contains(event.progress.runId)) add(event.progress)

  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = if (runId.contains(event.runId)) {
    ended.countDown()
    onEnd()
  }

  private def add(progress: StreamingQueryProgress): Unit = synchronized {
    batchCount += 1
    lateCount += progress.stateOperators.map(_.numRowsDroppedByWatermark).sum
    rejectedCount += RejectedRows.of(progress)
    lastEventTime = Option(progress.eventTime.get("max")).orElse(lastEventTime)
    val watermark = Option(progress.eventTime.get("watermark"))
    lastWatermark = watermark.filterNot(_ == QueryTotals.NoWatermark).orElse(lastWatermark)
  }
}

private object QueryTotals {

  /** What Spark tells before the first watermark. */
  val NoWatermark = "1970-01-01T00:00:00.000Z"
}
