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
  private var arrived = new TimedRows
  private var nextNo = 0L

  private def foreach(chunk: Chunk)(use: UnsafeRow => Unit): Unit =
    TimedRows.foreach(shelf.get(StateKind.Waiting, Array.emptyByteArray, chunk.no), fields)(use)

  private def write(chunk: Chunk, rows: TimedRows, from: Int, until: Int, at: Int => Int): Unit = {
    val piece = new ByteWriter((from until until).iterator.map(i => rows.size(at(i))).sum)
    var smallest = Long.MaxValue
    var i = from
    while (i < until) {
      rows.write(at(i), piece)
      smallest = math.min(smallest, rows.time(at(i)))
      i += 1
    }
    shelf.put(StateKind.Waiting, Array.emptyByteArray, chunk.no, piece.result)
    chunk.count = until - from
    chunk.smallest = smallest
  }

  /** Takes out the tuples before an instant. Each is to be used at once. */
  def release(before: Long)(use: UnsafeRow => Unit): Unit = chunks.filterInPlace { chunk =>
    if (chunk.smallest >= before) true
    else {
      val later = new TimedRows
      foreach(chunk) { row =>
        val time = timeOf(row)
        if (time < before) use(row) else later.add(time, row)
      }
      if (later.length == 0) shelf.remove(StateKind.Waiting, Array.emptyByteArray, chunk.no)
      else write(chunk, later, 0, later.length, identity)
      later.length > 0
    }
  }

  /** The smallest time of what has been saved. */
  def earliest: Long = chunks.iterator.map(_.smallest).minOption.getOrElse(Long.MaxValue)

  def add(row: UnsafeRow): Unit = arrived.add(timeOf(row), row)

  def save(to: ByteWriter): Unit = {
    if (arrived.length > 0) {
      // a chunk with room left is written again, with the first of the new tuples
      chunks.lastOption.filter(_.count < WaitingRoom.ChunkSize).foreach { last =>
        chunks.dropRightInPlace(1)
        foreach(last)(add)
        shelf.remove(StateKind.Waiting, Array.emptyByteArray, last.no)
      }
      val order = inSlices
      (0 until order.length by WaitingRoom.ChunkSize).foreach { start =>
        val chunk = new Chunk(nextNo, 0, 0)
        nextNo += 1
        write(chunk, arrived, start, math.min(start + WaitingRoom.ChunkSize, order.length), order(_))
        chunks += chunk
      }
      arrived = new TimedRows
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
  private def inSlices: Array[Int] = {
    val all = 0 until arrived.length
    var (smallest, largest) = (Long.MaxValue, Long.MinValue)
    all.foreach { i =>
      smallest = math.min(smallest, arrived.time(i))
      largest = math.max(largest, arrived.time(i))
    }
    val width = math.max(1L, Instants.minus(largest, smallest) / WaitingRoom.Slices + 1)
    def slice(i: Int): Int = (Instants.minus(arrived.time(i), smallest) / width).toInt
    val ends = new Array[Int](WaitingRoom.Slices + 1)
    all.foreach(i => ends(slice(i) + 1) += 1)
    (1 to WaitingRoom.Slices).foreach(s => ends(s) += ends(s - 1))
    val order = new Array[Int](all.length)
    all.foreach { i =>
      val own = slice(i)
      order(ends(own)) = i
      ends(own) += 1
    }
    order
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
