package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Place}

/** Functions of several kinds over one window. */
private[stream] final class SeveralGroups(groups: Seq[Group], types: Seq[Seq[DataType]]) extends Group {
  private val all = new GroupValues(types)

  override def insert(place: Place, tuple: UnsafeRow): Unit = groups.foreach(_.insert(place, tuple))
  override def insertPart(place: Place, part: InternalRow): Unit =
    throw new IllegalStateException("tuples are given to each function")
  override def insertNothing(place: Place): Unit = groups.foreach(_.insertNothing(place))
  override def advance(atSeq: Long, atTime: Long): Unit = groups.foreach(_.advance(atSeq, atTime))
  override def isEmpty: Boolean = groups.forall(_.isEmpty)
  override def isForgotten: Boolean = groups.forall(_.isForgotten)
  override def values: InternalRow = {
    groups.indices.foreach(i => all.set(i, groups(i).values))
    all.row
  }
  override def rows: Iterator[UnsafeRow] = throw new IllegalStateException("only aggregates are kept")
  override def close(): Unit = groups.foreach(_.close())
  override def save(to: ByteWriter): Unit = groups.foreach(_.save(to))
  override def load(from: ByteReader): Unit = groups.foreach(_.load(from))
}
