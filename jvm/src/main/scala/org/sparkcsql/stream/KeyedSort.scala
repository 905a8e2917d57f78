package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.batch.SpillingSort

/**
 * Puts the rows of a partition in order, each key's together, keys in the order of their first rows.
 * It sorts by one number made of the key's number and the time, which rows mostly differ in, and
 * spills like Spark's own sort, which it is.
 *
 * @param time what comes first in the order
 * @param coarser how many bits of the time do not matter to the number
 */
private[stream] final class KeyedSort(
    key: Seq[Attribute],
    order: Seq[Attribute],
    input: Seq[Attribute],
    time: UnsafeRow => Long,
    coarser: Int) {
  import KeyedSort._

  private val numbers = KeyNumbers(key, input, MostKeys)
  private lazy val keyOf = UnsafeProjection.create(key, input)
  private lazy val ordering = RowOrdering.create((key ++ order).map(SortOrder(_, Ascending)), input)

  // no row is compared with another one as long as their numbers differ
  private val sorter = SpillingSort(input, ordering, distinct = true)(numberOf)

  def insert(row: UnsafeRow): Unit = sorter.insertRow(row)

  /** To be asked for once. The next row takes the place of the one before. */
  def sorted: Iterator[UnsafeRow] =
    new ReadAhead(unsafe(sorter.sort()), input.length, numberOf, ordering, sortMany)

  private def sortMany(rows: Iterator[UnsafeRow]): Iterator[UnsafeRow] = {
    val sorter = SpillingSort(input, ordering)(_ => 0L)
    rows.foreach(sorter.insertRow)
    unsafe(sorter.sort())
  }

  private def unsafe(rows: Iterator[_]): Iterator[UnsafeRow] = rows.asInstanceOf[Iterator[UnsafeRow]]

  private def numberOf(row: UnsafeRow): Long = {
    val number = numbers.of(row)
    if (number < 0) Beyond | (keyOf(row).hashCode & 0xffffffffL)
    else number.toLong << TimeBits | coarse(time(row))
  }

  /** Never decreases with the time. */
  private def coarse(time: Long): Long =
    math.max(-Half, math.min(Half - 1, time >> coarser)) + Half
}

private object KeyedSort {
  val TimeBits = 44
  val Half: Long = 1L << (TimeBits - 1)

  /** So many keys are numbered; of others the hash is looked at. */
  val MostKeys: Int = 1 << 17
  val Beyond: Long = 1L << 62
}
