package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Span}

/** Answers once for each key, when all tuples have come: only tables have an end. */
private[stream] final class WholeProgram(factory: GroupFactory, answer: InternalRow => Unit)
    extends KeyProgram {
  private var group: Group = null

  override def open(key: UnsafeRow): Unit = group = factory.inMemory()
  override def tuple(tuple: TupleRows): Unit = group.insert(Span.Endless.place(0, tuple.time), tuple.first)
  override def advance(watermark: Long): Unit = if (!group.isEmpty) answer(group.values)
  override def isForgotten: Boolean = group.isEmpty

  override def load(from: ByteReader): Unit = unstored()
  override def save(to: ByteWriter): Unit = unstored()
  private def unstored(): Nothing = throw new IllegalStateException("this program is for tables only")
}
