package org.sparkcsql.kernel

import java.util.PriorityQueue

/** The tuples of one group that are in the window now. */
trait WindowState[R, A] {
  def insert(place: Place, row: R): Unit

  /** Drops what is gone at an evaluation. */
  def evict(atSeq: Long, atTime: Long): Unit
  def isEmpty: Boolean
  def current: A
}

object WindowState {

  /** No tuple leaves. */
  final class Endless[R, A](accumulator: SlidingAccumulator[R, A]) extends WindowState[R, A] {
    private var empty = true
    override def insert(place: Place, row: R): Unit = {
      empty = false
      accumulator.push(row)
    }
    override def evict(atSeq: Long, atTime: Long): Unit = ()
    override def isEmpty: Boolean = empty
    override def current: A = accumulator.current
  }

  /** Tuples leave in the order in which they came. */
  final class Fifo[R, A](reach: Reach, places: Sequence[Place], accumulator: SlidingAccumulator[R, A])
      extends WindowState[R, A] {

    override def insert(place: Place, row: R): Unit = {
      places.append(place)
      accumulator.push(row)
    }

    override def evict(atSeq: Long, atTime: Long): Unit =
      while (!places.isEmpty && reach.gone(places.first.leave, places.first.time, atSeq, atTime)) {
        places.removeFirst()
        accumulator.pop()
      }

    override def isEmpty: Boolean = places.isEmpty
    override def current: A = accumulator.current
  }

  /**
   * Tuples leave in any order: a window partitioned by one thing and grouped by another, where
   * each substream pushes out its own tuples. Adds up anew for each answer.
   */
  final class Scattered[R, A](aggregation: Aggregation[R, A]) extends WindowState[R, A] {
    private val rows = new java.util.TreeMap[java.lang.Long, R]
    private val leaving = new PriorityQueue[(Long, Long)](11, Ordering[(Long, Long)])
    private var arrivals = 0L

    override def insert(place: Place, row: R): Unit = {
      rows.put(arrivals, row)
      leaving.add((place.leave, arrivals))
      arrivals += 1
    }

    override def evict(atSeq: Long, atTime: Long): Unit =
      while (!leaving.isEmpty && leaving.peek()._1 <= atSeq) rows.remove(leaving.poll()._2)

    override def isEmpty: Boolean = rows.isEmpty

    override def current: A = {
      val total = aggregation.create()
      rows.values.forEach(row => aggregation.add(total, row))
      total
    }
  }
}
