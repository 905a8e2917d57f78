package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan

/** Puts rows that come sorted by the first part of an order in the whole order. */
private[batch] object InOrder {
  def apply(wanted: Seq[SortOrder], child: SparkPlan): Iterator[InternalRow] => Iterator[InternalRow] = {
    val input = child.output
    if (SortOrder.orderingSatisfies(child.outputOrdering, wanted)) identity
    else rows => new TiesInOrder(wanted, input, rows)
  }
}

/** Of rows that come sorted by a number, sorts those of equal number among each other. */
private final class TiesInOrder(wanted: Seq[SortOrder], input: Seq[Attribute], rows: Iterator[InternalRow])
    extends Iterator[InternalRow] {
  private val numberOf = UnsafeProjection.create(Seq(wanted.head.child), input)
  private val ordering = RowOrdering.create(wanted.tail, input)

  // Rows are used again by what gives them; these two take turns.
  private var shown = emptyRow
  private var ahead = emptyRow
  private var aheadNumber = 0L
  private var hasAhead = false
  private var tied: Iterator[InternalRow] = Iterator.empty
  advance()

  override def hasNext: Boolean = tied.hasNext || hasAhead

  override def next(): InternalRow =
    if (tied.hasNext) tied.next()
    else {
      val number = aheadNumber
      val row = ahead
      ahead = shown
      shown = row
      advance()
      if (!follows(number)) shown
      else {
        tied = sorted(number)
        tied.next()
      }
    }

  private def follows(number: Long): Boolean = hasAhead && aheadNumber == number

  private def advance(): Unit = {
    hasAhead = rows.hasNext
    if (hasAhead) {
      ahead.copyFrom(rows.next().asInstanceOf[UnsafeRow])
      aheadNumber = numberOf(ahead).getLong(0)
    }
  }

  private def sorted(number: Long): Iterator[InternalRow] = {
    val few = ArrayBuffer[InternalRow](shown.copy())
    while (follows(number) && few.length < TiesInOrder.Few) {
      few += ahead.copy()
      advance()
    }
    if (follows(number)) sortedOnDisk(few, number) else few.sortInPlace()(ordering).iterator
  }

  private def sortedOnDisk(few: ArrayBuffer[InternalRow], number: Long): Iterator[InternalRow] = {
    val sorter = SpillingSort(input, ordering)(_ => number)
    few.foreach(row => sorter.insertRow(row.asInstanceOf[UnsafeRow]))
    while (follows(number)) {
      sorter.insertRow(ahead)
      advance()
    }
    sorter.sort()
  }

  private def emptyRow: UnsafeRow = UnsafeRow.createFromByteArray(0, input.length)
}

private object TiesInOrder {

  /** So many rows of equal number are sorted in memory; more of them may spill. */
  val Few = 4096
}
