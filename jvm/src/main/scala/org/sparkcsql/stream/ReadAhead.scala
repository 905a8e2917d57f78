package org.sparkcsql.stream

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Puts rows that come in the order of a number in order where their numbers are equal.
 *
 * Sorted rows lie scattered in memory. They are copied side by side, many at once, because the
 * processor can wait for several of them together, but not for one of them in the midst of other work.
 *
 * @param sortMany sorts rows of one number that are too many to be held here
 */
private[stream] final class ReadAhead(
    sorted: Iterator[UnsafeRow],
    fields: Int,
    numberOf: UnsafeRow => Long,
    ordering: Ordering[InternalRow],
    sortMany: Iterator[UnsafeRow] => Iterator[UnsafeRow])
    extends Iterator[UnsafeRow] {
  import ReadAhead._

  private val source = sorted.buffered
  private var memory = new Array[Byte](Bytes)
  private var used = 0
  private var rows = Array.fill(Rows)(new UnsafeRow(fields))
  private var numbers = new Array[Long](Rows)
  private var count = 0
  private var taken = 0
  private var many: Iterator[UnsafeRow] = Iterator.empty

  override def hasNext: Boolean = taken < count || many.hasNext || source.hasNext

  override def next(): UnsafeRow = {
    if (taken == count && !many.hasNext) fill()
    if (taken < count) {
      taken += 1
      rows(taken - 1)
    } else many.next()
  }

  private def fill(): Unit = {
    count = 0
    taken = 0
    used = 0
    while (count < Rows && source.hasNext) hold(source.next())
    var i = 0
    while (i < count) {
      numbers(i) = numberOf(rows(i))
      i += 1
    }
    while (count < Most && continues(numbers(count - 1))) {
      hold(source.next())
      numbers(count - 1) = numbers(count - 2)
    }
    if (continues(numbers(count - 1))) sortRest()
    sortTies()
  }

  private def continues(number: Long): Boolean = source.hasNext && numberOf(source.head) == number

  private def hold(row: UnsafeRow): Unit = {
    val size = row.getSizeInBytes
    if (memory.length - used < size) {
      memory = new Array[Byte](math.max(size, memory.length * 2))
      used = 0
    }
    if (count == rows.length) {
      rows = rows ++ Array.fill(count)(new UnsafeRow(fields))
      numbers = Arrays.copyOf(numbers, count * 2)
    }
    row.writeToMemory(memory, Platform.BYTE_ARRAY_OFFSET + used.toLong)
    rows(count).pointTo(memory, Platform.BYTE_ARRAY_OFFSET + used.toLong, size)
    used += size
    count += 1
  }

  /** There are more rows of the last number than should be held. */
  private def sortRest(): Unit = {
    val number = numbers(count - 1)
    val until = count
    while (count > 0 && numbers(count - 1) == number) count -= 1
    val coming = new Iterator[UnsafeRow] {
      override def hasNext: Boolean = continues(number)
      override def next(): UnsafeRow = source.next()
    }
    many = sortMany(rows.slice(count, until).iterator ++ coming)
  }

  private def sortTies(): Unit = {
    var i = 0
    while (i < count) {
      var end = i + 1
      while (end < count && numbers(end) == numbers(i)) end += 1
      if (end - i > 1) Arrays.sort(rows, i, end, ordering)
      i = end
    }
  }
}

private object ReadAhead {

  /** So many rows are read at once, and so many of one number are held. */
  val Rows = 64
  val Most = 4096
  val Bytes: Int = 1 << 13
}
