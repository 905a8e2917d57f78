package org.sparkcsql.stream

import org.sparkcsql.kernel.{ByteReader, ByteWriter}
import org.sparkcsql.plan.ClockUnit

/** How the clock of the machine moves a silent stream; in milliseconds of Spark's watermark. */
object IdleClock {

  /** A watermark that has stood still since an instant of the clock, as it is taken at another one. */
  def moved(watermark: Long, since: Long, now: Long, timeout: Long): Long =
    if (watermark <= 0) watermark else watermark + math.max(0L, now - since - timeout)
}

/**
 * Since when a partition has seen its watermark, and how far the clock has moved its time. Both are
 * kept: after a restart, time must not run backwards.
 *
 * There is no watermark as long as one of several inputs has had no tuple. Then time runs on from the
 * first tuple of the others.
 *
 * @param timeout the silence after which the clock moves the stream; none: it never does
 * @param run tells the runs of a query apart: while none was listening, nobody was silent
 */
private[stream] final class IdleClock(timeout: Option[Long], unit: Option[ClockUnit], run: String) {
  private var watermark = 0L
  private var since = 0L
  private var lastRun = 0L

  /** How many micro-batches of the last run there were, as far as that matters. */
  private var batches = 0L

  /** The first tuple of a partition without a watermark. */
  private var first = 0L

  /** All tuples before this instant, on the stream's axis, count as come. */
  private var reached = Long.MinValue

  def load(from: ByteReader): Unit = {
    watermark = from.getLong
    since = from.getLong
    first = from.getLong
    reached = from.getLong
    lastRun = from.getLong
    batches = from.getLong
  }

  def save(to: ByteWriter): Unit = {
    to.putLong(watermark)
    to.putLong(since)
    to.putLong(first)
    to.putLong(reached)
    to.putLong(lastRun)
    to.putLong(batches)
  }

  /** Before which instant tuples are late because the clock has moved past them. */
  def lateBefore: Long = reached

  /** The instant before which all is complete in this micro-batch. */
  def completeAt(clock: BatchClock): Long = {
    if (clock.watermark > watermark || hasJustBegun()) {
      watermark = math.max(watermark, clock.watermark)
      since = clock.now
    }
    for (silence <- timeout; axis <- unit) {
      val moved = IdleClock.moved(standsAt, since, clock.now, silence)
      if (moved > standsAt) reached = math.max(reached, axis.fromMillis(moved))
    }
    math.max(clock.complete, reached)
  }

  /** The first micro-batch of a run may be one that the last run has begun, with the time that it had then. */
  private def hasJustBegun(): Boolean = {
    val current = run.hashCode.toLong
    batches = if (current == lastRun) math.min(batches + 1, 3) else 1
    lastRun = current
    batches < 3
  }

  /** A tuple waits; if it is the first one, time stands there until there is a watermark. */
  def waits(time: Long, now: Long): Unit =
    if (watermark == 0 && first == 0) unit.foreach { axis =>
      first = axis.toMillis(time)
      since = now
    }

  /** Where time stands, and since when; 0 if it has not begun. */
  def standsAt: Long = if (watermark > 0) watermark else first
  def standsSince: Long = since
}
