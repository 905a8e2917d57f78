package org.sparkcsql.batch

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.sparkcsql.kernel.PackedAggregation

/** Spark's aggregation buffers side by side in one array. */
private[batch] final class PackedBuffers(aggregation: MergingAggregation)
    extends PackedAggregation[InternalRow, InternalRow] {
  private val buffers = new BufferWords(aggregation)
  private val words = buffers.words
  private var memory = new Array[Long](0)

  override def reserve(slots: Int): Unit = memory = Arrays.copyOf(memory, Math.multiplyExact(slots, words))
  override def create(slot: Int): Unit = buffers.create(memory, slot * words)
  override def add(slot: Int, row: InternalRow): Unit = aggregation.add(read(slot), row)
  override def merge(older: Int, newer: Int): Unit =
    buffers.merge(memory, older * words, memory, newer * words)
  override def copy(from: Int, to: Int): Unit =
    System.arraycopy(memory, from * words, memory, to * words, words)
  override def read(slot: Int): InternalRow = buffers.view(memory, slot * words)
}
