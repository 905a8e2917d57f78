package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{SpecificInternalRow, UnsafeProjection, UnsafeRow}
import org.sparkcsql.batch.BufferRows
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Codec}

/** Rows as Spark lays them out in memory; no row at all is one of length zero. */
private[stream] final class RowCodec(fields: Int) extends Codec[UnsafeRow] {
  override def write(row: UnsafeRow, to: ByteWriter): Unit =
    to.putBytes(if (row == null) Array.emptyByteArray else row.getBytes)

  override def read(from: ByteReader): UnsafeRow = RowCodec.read(from.getBytes, fields)
}

private[stream] object RowCodec {
  def read(bytes: Array[Byte], fields: Int): UnsafeRow =
    if (bytes.isEmpty && fields > 0) null
    else {
      val row = new UnsafeRow(fields)
      row.pointTo(bytes, bytes.length)
      row
    }
}

/** Rows that are not there. */
private[stream] object NoRowCodec extends Codec[UnsafeRow] {
  override def write(row: UnsafeRow, to: ByteWriter): Unit = ()
  override def read(from: ByteReader): UnsafeRow = null
}

/** Aggregation buffers, which are written to after they are read back. */
private[stream] final class BufferCodec(rows: BufferRows) extends Codec[InternalRow] {
  private val typeArray = rows.types.toArray
  private lazy val toUnsafe = UnsafeProjection.create(typeArray)

  override def write(buffer: InternalRow, to: ByteWriter): Unit = buffer match {
    case flat: UnsafeRow => to.putBytes(flat.getBytes)
    case fields => to.putBytes(toUnsafe(fields).getBytes)
  }

  override def read(from: ByteReader): InternalRow = {
    val stored = RowCodec.read(from.getBytes, typeArray.length)
    if (rows.flat) stored else unpacked(stored)
  }

  private def unpacked(stored: UnsafeRow): InternalRow = {
    val buffer = new SpecificInternalRow(rows.types)
    var i = 0
    while (i < typeArray.length) {
      if (stored.isNullAt(i)) buffer.setNullAt(i) else buffer.update(i, stored.get(i, typeArray(i)))
      i += 1
    }
    buffer
  }
}

private[stream] object BytesCodec extends Codec[Array[Byte]] {
  override def write(bytes: Array[Byte], to: ByteWriter): Unit = to.putBytes(bytes)
  override def read(from: ByteReader): Array[Byte] = from.getBytes
}
