package org.sparkcsql.kernel

/**
 * When a tuple is in the window of an evaluation.
 *
 * A tuple has two coordinates, its place in the sequence and its time, and so has an evaluation.
 * On the sequence axis a tuple lives from `enter` (inclusive) to `leave` (exclusive); on the time
 * axis it lives for `length` units, starting `lag` units after its own time. Windows that do not
 * use an axis leave it open, so one rule serves windows by tuples, by time and mixed ones.
 */
final case class Reach(lag: Long, length: Long) {
  private val endless = length == Reach.Endless

  def arrived(enter: Long, time: Long, atSeq: Long, atTime: Long): Boolean =
    enter <= atSeq && time <= Instants.minus(atTime, lag)

  def gone(leave: Long, time: Long, atSeq: Long, atTime: Long): Boolean =
    leave <= atSeq || (!endless && isBefore(time, Instants.minus(atTime, lag)))

  /** Nothing lies before a window that begins before time does: then the difference has wrapped around. */
  private def isBefore(time: Long, end: Long): Boolean = {
    val begin = end - length
    begin <= end && time <= begin
  }
}

object Reach {
  val Endless: Long = Long.MaxValue

  /** Tuples never leave by their time. */
  val untimed: Reach = Reach(0, Endless)
}

/** Where one tuple stands: see [[Reach]]. */
final case class Place(enter: Long, leave: Long, time: Long)
