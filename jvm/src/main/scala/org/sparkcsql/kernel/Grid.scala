package org.sparkcsql.kernel

/** Sums and differences of instants that stop at the ends of time instead of wrapping around. */
object Instants {
  def minus(instant: Long, length: Long): Long = {
    val difference = instant - length
    if (((instant ^ length) & (instant ^ difference)) < 0) {
      if (instant < 0) Long.MinValue else Long.MaxValue
    } else difference
  }

  def plus(instant: Long, length: Long): Long = {
    val sum = instant + length
    if (((instant ^ sum) & (length ^ sum)) < 0) {
      if (instant < 0) Long.MinValue else Long.MaxValue
    } else sum
  }
}

/**
 * The ticks origin + i·step, for every whole i. The slot of a tick is what lies after the previous
 * tick, up to and including the tick itself.
 */
final case class Grid(origin: Long, step: Long) {
  require(step > 0, s"a grid needs a positive step, not $step")

  /** The first tick at or after an instant; fails when it lies beyond the end of time. */
  def tickAtOrAfter(instant: Long): Long = Grid.tickAtOrAfter(origin, step, instant)

  /**
   * The last tick T with instant ≤ T < instant + length; one before the first tick at or after the
   * instant when there is none.
   */
  def lastTickSeeing(instant: Long, length: Long): Long = Grid.lastTickSeeing(origin, step, instant, length)
}

object Grid {
  def tickAtOrAfter(origin: Long, step: Long, instant: Long): Long = {
    val distance = Math.floorMod(origin, step) - Math.floorMod(instant, step)
    Math.addExact(instant, if (distance < 0) distance + step else distance)
  }

  def lastTickSeeing(origin: Long, step: Long, instant: Long, length: Long): Long = {
    val first = tickAtOrAfter(origin, step, instant)
    val end = Instants.plus(instant, length)
    if (first >= end) first - 1 else first + (end - 1 - first) / step * step
  }
}
