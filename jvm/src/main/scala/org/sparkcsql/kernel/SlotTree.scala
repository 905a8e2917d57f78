package org.sparkcsql.kernel

import scala.collection.mutable.LongMap

/**
 * The total of rows that come and go in any order, each in a numbered slot: a change costs as many
 * merges as the logarithm of the number of rows. Rows are merged in the order of their slots, and in
 * which steps depends on the slots alone, so that sums of doubles are the same whatever came and went before.
 */
final class SlotTree[R, A](aggregation: Aggregation[R, A]) {

  /** The totals of 1, 2, 4, … neighbouring slots; what is in none of them is not there. */
  private var levels = Array(LongMap.empty[A])

  def isEmpty: Boolean = levels(0).isEmpty

  def add(slot: Long, row: R): Unit = {
    val total = levels(0).get(slot).fold(aggregation.create())(aggregation.copy)
    aggregation.add(total, row)
    while (slot >> (levels.length - 1) != 0) levels :+= LongMap.from(levels.last.get(0L).map(0L -> _))
    levels(0)(slot) = total
    renew(slot)
  }

  /** Takes out all rows of a slot. */
  def remove(slot: Long): Unit = if (levels(0).remove(slot).isDefined) renew(slot)

  /** To be read at once and never changed. */
  def current: A = levels.last.getOrElse(0L, aggregation.create())

  private def renew(slot: Long): Unit = {
    var level = 0
    var index = slot
    while (level < levels.length - 1) {
      val (left, right) = (levels(level).get(index & ~1L), levels(level).get(index | 1L))
      index >>= 1
      level += 1
      (left, right) match {
        case (Some(older), Some(newer)) =>
          val total = aggregation.copy(older)
          aggregation.merge(total, newer)
          levels(level)(index) = total
        case (None, None) => levels(level).remove(index): Unit
        case _ => levels(level)(index) = left.orElse(right).get
      }
    }
  }
}
