package org.sparkcsql.stream

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.sparkcsql.kernel.ByteWriter

/** Rows with their times, side by side in blocks of memory; each with its size before it. */
private[stream] final class TimedRows {
  import TimedRows._

  private val blocks = new ArrayBuffer[Array[Byte]]
  private var used = 0

  private var times = new Array[Long](Fewest)

  /** The block of a row, and where in it the row begins. */
  private var places = new Array[Long](Fewest)
  private var count = 0

  def length: Int = count
  def time(i: Int): Long = times(i)

  def add(time: Long, row: UnsafeRow): Unit = {
    val size = Header + row.getSizeInBytes
    if (blocks.isEmpty || blocks.last.length - used < size) {
      blocks += new Array[Byte](math.max(size, BlockSize))
      used = 0
    }
    if (count == times.length) {
      times = Arrays.copyOf(times, count * 2)
      places = Arrays.copyOf(places, count * 2)
    }
    val block = blocks.last
    Platform.putLong(block, Platform.BYTE_ARRAY_OFFSET + used.toLong, row.getSizeInBytes.toLong)
    row.writeToMemory(block, Platform.BYTE_ARRAY_OFFSET + used.toLong + Header)
    times(count) = time
    places(count) = ((blocks.length - 1L) << 32) | used
    count += 1
    used += size
  }

  private def block(i: Int): Array[Byte] = blocks((places(i) >> 32).toInt)

  /** Bytes of a row when it is written. */
  def size(i: Int): Int = Header + sizeAt(block(i), places(i).toInt)

  /** Writes a row as [[foreach]] reads it. */
  def write(i: Int, to: ByteWriter): Unit = {
    val start = places(i).toInt
    to.put(block(i), start, start + size(i))
  }
}

private[stream] object TimedRows {
  private val Header = 8
  private val BlockSize = 1 << 16
  private val Fewest = 64

  private def sizeAt(bytes: Array[Byte], at: Int): Int =
    Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET + at.toLong).toInt

  /** The rows that were written; each one is to be used before the next one takes its place. */
  def foreach(written: Array[Byte], fields: Int)(use: UnsafeRow => Unit): Unit = {
    val row = new UnsafeRow(fields)
    var at = 0
    while (at < written.length) {
      val size = sizeAt(written, at)
      row.pointTo(written, Platform.BYTE_ARRAY_OFFSET + at.toLong + Header, size)
      use(row)
      at += Header + size
    }
  }
}
