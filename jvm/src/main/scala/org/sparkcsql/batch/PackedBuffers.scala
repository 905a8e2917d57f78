package org.sparkcsql.batch

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.sparkcsql.kernel.PackedAggregation

/** Spark's aggregation buffers side by side in one array; for buffers of which all fields have a fixed width. */
private[batch] final class PackedBuffers(aggregation: MergingAggregation)
    extends PackedAggregation[InternalRow, InternalRow] {
  private val initial = aggregation.create().asInstanceOf[UnsafeRow]
  private val size = initial.getSizeInBytes
  private val words = size / 8
  private val start = new Array[Long](words)
  Platform.copyMemory(
    initial.getBaseObject,
    initial.getBaseOffset,
    start,
    Platform.LONG_ARRAY_OFFSET.toLong,
    size.toLong)

  private var memory = new Array[Long](0)
  private val (one, other) = (new UnsafeRow(initial.numFields), new UnsafeRow(initial.numFields))

  override def reserve(slots: Int): Unit = memory = Arrays.copyOf(memory, Math.multiplyExact(slots, words))
  override def create(slot: Int): Unit = System.arraycopy(start, 0, memory, slot * words, words)
  override def add(slot: Int, row: InternalRow): Unit = aggregation.add(at(one, slot), row)
  override def merge(older: Int, newer: Int): Unit = aggregation.merge(at(one, older), at(other, newer))
  override def copy(from: Int, to: Int): Unit =
    System.arraycopy(memory, from * words, memory, to * words, words)
  override def read(slot: Int): InternalRow = at(one, slot)

  private def at(row: UnsafeRow, slot: Int): UnsafeRow = {
    row.pointTo(memory, Platform.LONG_ARRAY_OFFSET + slot.toLong * size, size)
    row
  }
}
