package org.sparkcsql.stream

import java.nio.ByteBuffer
import java.util.TreeMap

import scala.collection.mutable.ArrayBuffer

import org.sparkcsql.kernel.{ByteReader, ByteWriter}

/**
 * Which keys have something to do at which instant, so that a moving clock does not read all keys.
 * A key is told here at most once for an instant that has not come; one that turns out to have
 * nothing to do yet is told again.
 */
private[stream] final class Deadlines(shelf: StateShelf) {
  private final class Bucket(var chunks: Int, var lastCount: Int)

  private val buckets = new TreeMap[Long, Bucket]
  private val told = new TreeMap[Long, ArrayBuffer[Array[Byte]]]

  private def owner(instant: Long): Array[Byte] = ByteBuffer.allocate(8).putLong(instant).array

  def tell(instant: Long, key: Array[Byte]): Unit =
    told.computeIfAbsent(instant, _ => new ArrayBuffer[Array[Byte]]) += key

  /** Takes out the keys with a deadline before an instant. */
  def takeDue(before: Long): ArrayBuffer[Array[Byte]] = {
    val due = new ArrayBuffer[Array[Byte]]
    while (!buckets.isEmpty && buckets.firstKey < before) {
      val entry = buckets.pollFirstEntry()
      (0 until entry.getValue.chunks).foreach { no =>
        due ++= read(entry.getKey, no)
        shelf.remove(StateKind.Deadlines, owner(entry.getKey), no)
      }
    }
    due
  }

  /** The first deadline of what has been saved. */
  def earliest: Long = if (buckets.isEmpty) Long.MaxValue else buckets.firstKey

  private def read(instant: Long, no: Long): ArrayBuffer[Array[Byte]] = {
    val from = new ByteReader(shelf.get(StateKind.Deadlines, owner(instant), no))
    val keys = new ArrayBuffer[Array[Byte]]
    while (!from.isDone) keys += from.getBytes
    keys
  }

  private def write(instant: Long, no: Long, keys: collection.Seq[Array[Byte]]): Unit = {
    val piece = new ByteWriter
    keys.foreach(piece.putBytes)
    shelf.put(StateKind.Deadlines, owner(instant), no, piece.result)
  }

  def save(to: ByteWriter): Unit = {
    told.forEach { (instant, keys) =>
      val bucket = buckets.computeIfAbsent(instant, _ => new Bucket(0, 0))
      var rest: collection.Seq[Array[Byte]] = keys
      if (bucket.chunks > 0 && bucket.lastCount < Deadlines.ChunkSize) {
        val room = Deadlines.ChunkSize - bucket.lastCount
        write(instant, bucket.chunks - 1L, read(instant, bucket.chunks - 1L) ++ rest.take(room))
        bucket.lastCount += math.min(room, rest.length)
        rest = rest.drop(room)
      }
      rest.grouped(Deadlines.ChunkSize).foreach { chunk =>
        write(instant, bucket.chunks, chunk)
        bucket.chunks += 1
        bucket.lastCount = chunk.length
      }
    }
    told.clear()
    to.putInt(buckets.size)
    buckets.forEach { (instant, bucket) =>
      to.putLong(instant)
      to.putInt(bucket.chunks)
      to.putInt(bucket.lastCount)
    }
  }

  def load(from: ByteReader): Unit =
    (0 until from.getInt).foreach(_ => buckets.put(from.getLong, new Bucket(from.getInt, from.getInt)))
}

private object Deadlines {
  val ChunkSize = 256
}
