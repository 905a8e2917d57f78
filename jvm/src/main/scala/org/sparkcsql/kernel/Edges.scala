package org.sparkcsql.kernel

import java.util.Arrays

/**
 * The windows of given evaluations on one axis, each after `lows(i)` and up to `highs(i)`, neither of
 * them decreasing. What lies between two neighbouring edges is always in the same windows.
 */
final class Edges(lows: Array[Long], highs: Array[Long]) {
  private val ends = Edges.sortedOnce(lows ++ highs)
  private val seen = ends.map { end =>
    val first = Edges.firstAtLeast(highs, end)
    first < highs.length && lows(first) < end
  }
  private var last = 0

  /** The end of the slice that holds a place, or [[Edges.Unseen]] if no window holds it. Neighbours are found quickly. */
  def endOf(place: Long): Long = {
    if (!holds(last, place)) last = if (holds(last + 1, place)) last + 1 else Edges.firstAtLeast(ends, place)
    if (last < ends.length && seen(last)) ends(last) else Edges.Unseen
  }

  private def holds(slice: Int, place: Long): Boolean =
    slice < ends.length && place <= ends(slice) && (slice == 0 || place > ends(slice - 1))
}

object Edges {
  val Unseen: Long = Long.MaxValue

  private def sortedOnce(places: Array[Long]): Array[Long] = {
    Arrays.sort(places)
    var kept = 0
    var i = 0
    while (i < places.length) {
      if (i == 0 || places(i) != places(kept - 1)) {
        places(kept) = places(i)
        kept += 1
      }
      i += 1
    }
    Arrays.copyOf(places, kept)
  }

  private def firstAtLeast(sorted: Array[Long], place: Long): Int = {
    var low = 0
    var high = sorted.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (sorted(middle) >= place) high = middle else low = middle + 1
    }
    low
  }
}
