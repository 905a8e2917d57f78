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
 * @param timeout the silence after which the clock moves the stream; none: it never does
 */
private[stream] final class IdleClock(timeout: Option[Long], unit: Option[ClockUnit]) {
  private var watermark = 0L
  private var since = 0L

  /** All tuples before this instant, on the stream's axis, count as come. */
  private var reached = Long.MinValue

  def load(from: ByteReader): Unit = {
    watermark = from.getLong
    since = from.getLong
    reached = from.getLong
  }

  def save(to: ByteWriter): Unit = {
    to.putLong(watermark)
    to.putLong(since)
    to.putLong(reached)
  }

  /** Before which instant tuples are late because the clock has moved past them. */
  def lateBefore: Long = reached

  /** The instant before which all is complete in this micro-batch. */
  def completeAt(clock: BatchClock): Long = {
    if (clock.watermark > watermark) {
      watermark = clock.watermark
      since = clock.now
    }
    for (silence <- timeout; axis <- unit if watermark > 0) {
      val moved = IdleClock.moved(watermark, since, clock.now, silence)
      if (moved > watermark) reached = math.max(reached, axis.fromMillis(moved))
    }
    math.max(clock.complete, reached)
  }

  def standsSince: Long = since
}
