package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Grid}

/** Gives tuples on; the operator around it has put them in order. */
private[stream] final class InOrderProgram(emit: UnsafeRow => Unit) extends KeyProgram {
  override def open(key: UnsafeRow): Unit = ()
  override def load(from: ByteReader): Unit = ()
  override def tuple(tuple: TupleRows): Unit = tuple.foreach(emit)
  override def advance(watermark: Long): Unit = ()
  override def isForgotten: Boolean = true
  override def save(to: ByteWriter): Unit = ()
}

/** Every n-th tuple. The count is kept for ever, or the n-th tuple would depend on how long a key was silent. */
private[stream] final class EveryTuplesProgram(count: Long, emit: UnsafeRow => Unit) extends KeyProgram {
  private var seen = 0L

  override def open(key: UnsafeRow): Unit = seen = 0
  override def load(from: ByteReader): Unit = seen = from.getLong
  override def tuple(tuple: TupleRows): Unit = {
    seen = (seen + 1) % count
    if (seen == 0) tuple.foreach(emit)
  }
  override def advance(watermark: Long): Unit = ()
  override def isForgotten: Boolean = seen == 0
  override def save(to: ByteWriter): Unit = to.putLong(seen)
}

/** The last tuple of each slot, once the slot is complete. */
private[stream] final class LastOfSlotProgram(grid: Grid, fields: Int, emit: UnsafeRow => Unit)
    extends KeyProgram {
  private val codec = new RowCodec(fields)
  private var held: UnsafeRow = null
  private var tick = 0L

  override def open(key: UnsafeRow): Unit = held = null
  override def load(from: ByteReader): Unit = {
    tick = from.getLong
    held = codec.read(from)
  }

  override def tuple(tuple: TupleRows): Unit = {
    val slot = grid.tickAtOrAfter(tuple.time)
    if (held != null && slot != tick) emit(held)
    tick = slot
    held = tuple.rows.last.copy()
  }

  override def advance(watermark: Long): Unit = if (held != null && tick < watermark) {
    emit(held)
    held = null
  }

  override def isForgotten: Boolean = held == null
  override def deadline: Option[Long] = Some(tick)
  override def save(to: ByteWriter): Unit = {
    to.putLong(tick)
    codec.write(held, to)
  }
}
