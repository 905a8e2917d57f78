package org.sparkcsql.kernel

import java.util.Arrays

/** The evaluations of a block or of one of its substreams, in order. Not for several threads. */
sealed abstract class Points {
  def length: Int
  def seq(point: Int): Long
  def time(point: Int): Long

  /** The first evaluation, from `start` on, that sees the tuple at this place; `length` if none does. */
  final def firstSeeing(place: Place, reach: Reach, start: Int): Int = {
    var low = start
    var high = length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (reach.arrived(place.enter, place.time, seq(middle), time(middle))) high = middle
      else low = middle + 1
    }
    low
  }
}

object Points {

  /** The sequence number of an evaluation that does not count tuples: after every tuple, before never. */
  val AfterAll: Long = Long.MaxValue - 1
}

/** Evaluations one by one. */
final class ListedPoints(seqs: Array[Long], times: Array[Long]) extends Points {
  override def length: Int = seqs.length
  override def seq(point: Int): Long = seqs(point)
  override def time(point: Int): Long = times(point)
}

/** Ticks `step` apart, from a first to a last one; and the number of tuples that all of them have seen. */
final case class Stretch(seq: Long, first: Long, last: Long)

/** Stretches of ticks, which may be far more than fit into memory one by one. */
final class TickPoints(stretches: Array[Stretch], step: Long) extends Points {

  /** Where each stretch begins among all ticks, and where the last one ends. */
  private val begins = stretches.scanLeft(0) { (begin, stretch) =>
    Math.addExact(begin, Math.toIntExact(Math.subtractExact(stretch.last, stretch.first) / step + 1))
  }
  private var current = 0

  override def length: Int = begins.last
  override def seq(point: Int): Long = stretches(stretchOf(point)).seq
  override def time(point: Int): Long = {
    val stretch = stretchOf(point)
    stretches(stretch).first + (point - begins(stretch)) * step
  }

  /** Which stretch a tick is in; neighbours are found quickly. */
  def stretchOf(point: Int): Int = {
    if (!holds(current, point))
      current =
        if (holds(current + 1, point)) current + 1
        else {
          val found = Arrays.binarySearch(begins, point)
          if (found >= 0) found else -found - 2
        }
    current
  }

  private def holds(stretch: Int, point: Int): Boolean =
    stretch < stretches.length && point >= begins(stretch) && point < begins(stretch + 1)
}
