package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter}

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

  private def read(chunk: Chunk): ArrayBuffer[UnsafeRow] = {
    val from = new ByteReader(shelf.get(StateKind.Waiting, Array.emptyByteArray, chunk.no))
    ArrayBuffer.fill(chunk.count)(codec.read(from))
  }

  private def write(chunk: Chunk, rows: collection.Seq[UnsafeRow]): Unit = {
    val piece = new ByteWriter
    rows.foreach(codec.write(_, piece))
    shelf.put(StateKind.Waiting, Array.emptyByteArray, chunk.no, piece.result)
    chunk.count = rows.length
    chunk.smallest = rows.iterator.map(timeOf).min
  }

  /** Takes out the tuples before an instant. */
  def release(before: Long): ArrayBuffer[UnsafeRow] = {
    val due = new ArrayBuffer[UnsafeRow]
    chunks.filterInPlace { chunk =>
      if (chunk.smallest >= before) true
      else {
        val (now, later) = read(chunk).partition(row => timeOf(row) < before)
        due ++= now
        if (later.isEmpty) shelf.remove(StateKind.Waiting, Array.emptyByteArray, chunk.no)
        else write(chunk, later)
        later.nonEmpty
      }
    }
    due
  }

  /** The smallest time of what has been saved. */
  def earliest: Long = chunks.iterator.map(_.smallest).minOption.getOrElse(Long.MaxValue)

  def add(row: UnsafeRow): Unit = arrived += row

  def save(to: ByteWriter): Unit = {
    if (arrived.nonEmpty) {
      // by time, so that chunks become due one after another
      val sorted = arrived.sortBy(timeOf)
      var start = 0
      chunks.lastOption.filter(_.count < WaitingRoom.ChunkSize).foreach { last =>
        start = math.min(WaitingRoom.ChunkSize - last.count, sorted.length)
        write(last, read(last) ++ sorted.take(start))
      }
      sorted.drop(start).grouped(WaitingRoom.ChunkSize).foreach { rows =>
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

  def load(from: ByteReader): Unit = {
    nextNo = from.getLong
    (0 until from.getInt).foreach(_ => chunks += new Chunk(from.getLong, from.getLong, from.getInt))
  }
}

private object WaitingRoom {
  val ChunkSize = 256
}
