package org.sparkcsql.stream

import org.apache.spark.util.AccumulatorV2

/** The smallest of the instants that the tasks of a micro-batch tell. */
final class EarliestInstant extends AccumulatorV2[Long, Long] {
  private var smallest = Long.MaxValue

  override def isZero: Boolean = smallest == Long.MaxValue
  override def copy(): EarliestInstant = {
    val other = new EarliestInstant
    other.add(smallest)
    other
  }
  override def reset(): Unit = smallest = Long.MaxValue
  override def add(instant: Long): Unit = smallest = math.min(smallest, instant)
  override def merge(other: AccumulatorV2[Long, Long]): Unit = add(other.value)
  override def value: Long = smallest
}
