package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.sparkcsql.kernel.WordAggregation

/** Spark's aggregation buffers as words of memory; for buffers of which all fields have a fixed width. */
private[sparkcsql] final class BufferWords(aggregation: MergingAggregation)
    extends WordAggregation[InternalRow] {
  private val initial = aggregation.create().asInstanceOf[UnsafeRow]
  private val size = initial.getSizeInBytes
  override val words: Int = size / 8
  private val start = new Array[Long](words)
  write(start, 0, initial)

  private val (one, other) = (new UnsafeRow(initial.numFields), new UnsafeRow(initial.numFields))

  override def create(memory: Array[Long], at: Int): Unit = System.arraycopy(start, 0, memory, at, words)

  override def write(memory: Array[Long], at: Int, part: InternalRow): Unit = {
    val row = part.asInstanceOf[UnsafeRow]
    Platform.copyMemory(row.getBaseObject, row.getBaseOffset, memory, offset(at), size.toLong)
  }

  override def merge(memory: Array[Long], at: Int, newer: InternalRow): Unit =
    aggregation.merge(point(one, memory, at), newer)
  override def merge(older: Array[Long], olderAt: Int, newer: Array[Long], newerAt: Int): Unit =
    aggregation.merge(point(one, older, olderAt), point(other, newer, newerAt))
  override def view(memory: Array[Long], at: Int): InternalRow = point(one, memory, at)

  private def point(row: UnsafeRow, memory: Array[Long], at: Int): UnsafeRow = {
    row.pointTo(memory, offset(at), size)
    row
  }

  private def offset(at: Int): Long = Platform.LONG_ARRAY_OFFSET + at.toLong * 8
}
