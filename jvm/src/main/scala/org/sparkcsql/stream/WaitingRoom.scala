package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Instants}

/**
 * The tuples of a partition that have come before their time. They lie in chunks without an order,
 * each with its smallest time, so that a chunk is read only when something in it is due.
 */
private[stream] final class WaitingRoom(shelf: StateShelf, fields: Int, timeOf: UnsafeRow => Long) {
  private final class Chunk(val no: Long, var smallest: Long, var count: Int)

  private val chunks = new ArrayBuffer[Chunk]
  private val arrived = new ArrayBuffer[UnsafeRow]
  private val codec = new RowCodec(fields)
  private var nextNo = 0L

  private def read(chunk: Chunk): Iterator[UnsafeRow] = {
    val from = new ByteReader(shelf.get(StateKind.Waiting, Array.emptyByteArray, chunk.no))
    Iterator.fill(chunk.count)(codec.read(from))
  }

  private def write(chunk: Chunk, rows: collection.Seq[UnsafeRow]): Unit = {
    val piece = new ByteWriter
    rows.foreach(codec.write(_, piece))
    shelf.put(StateKind.Waiting, Array.emptyByteArray, chunk.no, piece.result)
    chunk.count = rows.length
    chunk.smallest = rows.iterator.map(timeOf).min
  }

  /** Takes out the tuples before an instant. */
  def release(before: Long)(use: UnsafeRow => Unit): Unit = chunks.filterInPlace { chunk =>
    if (chunk.smallest >= before) true
    else {
      val later = new ArrayBuffer[UnsafeRow]
      read(chunk).foreach(row => if (timeOf(row) < before) use(row) else later += row)
      if (later.isEmpty) shelf.remove(StateKind.Waiting, Array.emptyByteArray, chunk.no)
      else write(chunk, later)
      later.nonEmpty
    }
  }

  /** The smallest time of what has been saved. */
  def earliest: Long = chunks.iterator.map(_.smallest).minOption.getOrElse(Long.MaxValue)

  /** The row becomes the room's own. */
  def add(row: UnsafeRow): Unit = arrived += row

  def save(to: ByteWriter): Unit = {
    if (arrived.nonEmpty) {
      val slices = inSlices
      var start = 0
      chunks.lastOption.filter(_.count < WaitingRoom.ChunkSize).foreach { last =>
        start = math.min(WaitingRoom.ChunkSize - last.count, slices.length)
        write(last, read(last).toSeq ++ slices.take(start))
      }
      slices.drop(start).grouped(WaitingRoom.ChunkSize).foreach { rows =>
        val chunk = new Chunk(nextNo, 0, 0)
        nextNo += 1
        write(chunk, rows)
        chunks += chunk
      }
      arrived.clear()
    }
    to.putLong(nextNo)
    to.putInt(chunks.length)
    chunks.foreach { chunk =>
      to.putLong(chunk.no)
      to.putLong(chunk.smallest)
      to.putInt(chunk.count)
    }
  }

  /** The new tuples, roughly by time, so that chunks become due one after another. */
  private def inSlices: collection.Seq[UnsafeRow] = {
    val (smallest, largest) = arrived.foldLeft((Long.MaxValue, Long.MinValue)) { case ((low, high), row) =>
      val time = timeOf(row)
      (math.min(low, time), math.max(high, time))
    }
    val width = math.max(1L, Instants.minus(largest, smallest) / WaitingRoom.Slices + 1)
    val slices = Array.fill(WaitingRoom.Slices)(new ArrayBuffer[UnsafeRow])
    arrived.foreach(row => slices((Instants.minus(timeOf(row), smallest) / width).toInt) += row)
    slices.toSeq.flatten
  }

  def load(from: ByteReader): Unit = {
    nextNo = from.getLong
    (0 until from.getInt).foreach(_ => chunks += new Chunk(from.getLong, from.getLong, from.getInt))
  }
}

private object WaitingRoom {
  val ChunkSize = 256
  val Slices = 64
}
