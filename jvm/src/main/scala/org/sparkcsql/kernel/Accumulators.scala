package org.sparkcsql.kernel

import java.util.ArrayDeque

import scala.collection.mutable.ArrayBuffer

/** For windows that no tuple ever leaves: one running accumulator, no rows are kept. */
final class RunningAccumulator[R, A](aggregation: Aggregation[R, A]) extends SlidingAccumulator[R, A] {
  private val total = aggregation.create()

  override def push(row: R): Unit = aggregation.add(total, row)
  override def pop(): Unit = throw new IllegalStateException("nothing leaves an endless window")
  override def current: A = total
}

/** For aggregates that cannot be merged: keeps the rows and adds them up anew for each answer. */
final class RecomputingAccumulator[R, A](aggregation: Aggregation[R, A]) extends SlidingAccumulator[R, A] {
  private val rows = new ArrayDeque[R]

  override def push(row: R): Unit = rows.addLast(row)
  override def pop(): Unit = rows.removeFirst()
  override def current: A = {
    val total = aggregation.create()
    rows.forEach(row => aggregation.add(total, row))
    total
  }
}

/**
 * Two stacks make a queue: three merges a row on average, whatever the window's size, and nothing
 * is ever subtracted, so sums of doubles do not drift.
 *
 * The back holds the newer rows and their running total. When the front is empty and a row must
 * go, the back is turned over: the front then holds, for each row, the total from it to the newest.
 */
final class TwoStacksAccumulator[R, A](aggregation: Aggregation[R, A]) extends SlidingAccumulator[R, A] {
  private val back = new ArrayBuffer[R]
  private var backTotal = aggregation.create()
  private val front = new ArrayBuffer[A]

  override def push(row: R): Unit = {
    back += row
    aggregation.add(backTotal, row)
  }

  override def pop(): Unit = {
    if (front.isEmpty) turnOver()
    front.dropRightInPlace(1)
  }

  override def current: A =
    if (front.isEmpty) backTotal
    else if (back.isEmpty) front.last
    else {
      val total = aggregation.copy(front.last)
      aggregation.merge(total, backTotal)
      total
    }

  private def turnOver(): Unit = {
    var i = back.length - 1
    while (i >= 0) {
      val total = aggregation.create()
      aggregation.add(total, back(i))
      if (front.nonEmpty) aggregation.merge(total, front.last)
      front += total
      i -= 1
    }
    back.clear()
    backTotal = aggregation.create()
  }
}
