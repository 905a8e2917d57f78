package org.sparkcsql.kernel

/** For windows that no tuple ever leaves: one running accumulator, no rows are kept. */
final class RunningAccumulator[R, A](aggregation: Aggregation[R, A]) extends SlidingAccumulator[R, A] {
  private val total = aggregation.create()

  override def push(row: R): Unit = aggregation.add(total, row)
  override def pop(): Unit = throw new IllegalStateException("nothing leaves an endless window")
  override def current: A = total
}

/** For aggregates that cannot be merged: keeps the rows and adds them up anew for each answer. */
final class RecomputingAccumulator[R, A](aggregation: Aggregation[R, A], rows: Sequence[R])
    extends SlidingAccumulator[R, A] {
  override def push(row: R): Unit = rows.append(row)
  override def pop(): Unit = rows.removeFirst()
  override def current: A = {
    val total = aggregation.create()
    rows.forwards.foreach(aggregation.add(total, _))
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
final class TwoStacksAccumulator[R, A](aggregation: Aggregation[R, A], back: Sequence[R], front: Sequence[A])
    extends SlidingAccumulator[R, A] {
  private var backTotal = aggregation.create()

  override def push(row: R): Unit = {
    back.append(row)
    aggregation.add(backTotal, row)
  }

  override def pop(): Unit = {
    if (front.isEmpty) turnOver()
    front.removeLast()
  }

  override def current: A =
    if (front.isEmpty) backTotal
    else if (back.isEmpty) front.last
    else {
      val total = aggregation.copy(front.last)
      aggregation.merge(total, backTotal)
      total
    }

  /** The total of the back, which a host keeps beside the two stacks. */
  def total: A = backTotal
  def restore(total: A): Unit = backTotal = total

  private def turnOver(): Unit = {
    back.backwards.foreach { row =>
      val total = aggregation.create()
      aggregation.add(total, row)
      if (!front.isEmpty) aggregation.merge(total, front.last)
      front.append(total)
    }
    back.clear()
    backTotal = aggregation.create()
  }
}
