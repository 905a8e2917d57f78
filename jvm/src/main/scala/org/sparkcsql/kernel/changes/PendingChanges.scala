package org.sparkcsql.kernel.changes

import java.util.LinkedHashMap

import scala.jdk.CollectionConverters._

import org.sparkcsql.kernel.{ByteReader, ByteWriter}

/** Changes of a window that are shown at its next jump. */
private[changes] final class PendingChanges[R] extends Receiver[R] {
  private val (come, gone) = (new LinkedHashMap[RowId, R], new LinkedHashMap[RowId, R])

  override def insert(id: RowId, row: R): Unit = come.put(id, row): Unit
  override def delete(id: RowId, row: R): Unit = if (come.remove(id) == null) gone.put(id, row): Unit

  def isEmpty: Boolean = come.isEmpty && gone.isEmpty
  def hasInserted(id: RowId): Boolean = come.containsKey(id)
  def deleted: Iterator[(RowId, R)] = gone.asScala.iterator

  def flush(out: Receiver[R]): Unit = {
    gone.forEach((id, row) => out.delete(id, row))
    come.forEach((id, row) => out.insert(id, row))
    clear()
  }

  def clear(): Unit = {
    gone.clear()
    come.clear()
  }

  def save(codec: HeldCodec[R], to: ByteWriter): Unit = Seq(come, gone).foreach { rows =>
    to.putInt(rows.size)
    rows.forEach((id, row) => codec.write(id, row, to))
  }

  def load(codec: HeldCodec[R], from: ByteReader): Unit = Seq(come, gone).foreach { rows =>
    (0 until from.getInt).foreach { _ =>
      val tuple = codec.read(from)
      rows.put(tuple.id, tuple.row)
    }
  }
}
