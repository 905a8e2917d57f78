package org.sparkcsql.kernel

import java.util.{PriorityQueue, TreeMap}

import scala.collection.mutable.ArrayBuffer

/** The tuples of one group that are in the window now. */
trait WindowState[R, A] {
  def insert(place: Place, row: R): Unit

  /** Drops what is gone at an evaluation. */
  def evict(atSeq: Long, atTime: Long): Unit
  def isEmpty: Boolean = size == 0

  /** How many tuples it keeps. */
  def size: Long
  def current: A
}

object WindowState {

  /**
   * No tuple leaves.
   *
   * @param keeps whether the accumulator grows with each tuple
   */
  final class Endless[R, A](accumulator: SlidingAccumulator[R, A], keeps: Boolean) extends WindowState[R, A] {
    private var came = 0L
    override def insert(place: Place, row: R): Unit = {
      came += 1
      accumulator.push(row)
    }
    override def evict(atSeq: Long, atTime: Long): Unit = ()
    override def size: Long = if (keeps) came else math.min(came, 1)
    override def current: A = accumulator.current
  }

  /** The last so many tuples: each one that comes, at an evaluation of its own, pushes out another. */
  final class Last[R, A](count: Long, accumulator: SlidingAccumulator[R, A]) extends WindowState[R, A] {
    private var held = 0L
    override def insert(place: Place, row: R): Unit = {
      held += 1
      accumulator.push(row)
    }

    /** There must be room for the tuple of the evaluation. */
    override def evict(atSeq: Long, atTime: Long): Unit = while (held >= count) {
      held -= 1
      accumulator.pop()
    }
    override def size: Long = held
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

    override def size: Long = places.length
    override def current: A = accumulator.current
  }

  /**
   * Tuples leave in any order: a window partitioned by one thing and grouped by another, where
   * each substream pushes out its own tuples.
   */
  final class Scattered[R, A](aggregation: Aggregation[R, A]) extends WindowState[R, A] {
    private val tree = new SlotTree(aggregation)
    private val leaving = new Leaving

    override def insert(place: Place, row: R): Unit = {
      tree.add(place.enter, row)
      leaving.add(place)
    }
    override def evict(atSeq: Long, atTime: Long): Unit = leaving.until(atSeq)(tree.remove)
    override def size: Long = leaving.size
    override def current: A = tree.current
  }

  /** The same for what cannot be merged: rows are added up anew for each answer. */
  final class ScatteredRows[R, A](aggregation: Aggregation[R, A], copy: R => R) extends WindowState[R, A] {
    private val rows = new TreeMap[Long, ArrayBuffer[R]]
    private val leaving = new Leaving

    override def insert(place: Place, row: R): Unit = {
      rows.computeIfAbsent(place.enter, _ => new ArrayBuffer[R]) += copy(row)
      leaving.add(place)
    }
    override def evict(atSeq: Long, atTime: Long): Unit =
      leaving.until(atSeq)(slot => rows.remove(slot): Unit)
    override def size: Long = leaving.size
    override def current: A = {
      val total = aggregation.create()
      rows.values.forEach(_.foreach(aggregation.add(total, _)))
      total
    }
  }

  /** When the tuples in a window leave it. */
  private final class Leaving {
    private val queue = new PriorityQueue[(Long, Long)](11, Ordering[(Long, Long)])

    def size: Long = queue.size
    def add(place: Place): Unit = queue.add((place.leave, place.enter)): Unit
    def until(atSeq: Long)(remove: Long => Unit): Unit =
      while (!queue.isEmpty && queue.peek()._1 <= atSeq) remove(queue.poll()._2)
  }
}
