package org.sparkcsql.kernel

import java.nio.{ByteBuffer, ByteOrder}

/** Grows as it is written to. */
final class ByteWriter(size: Int = 256) {
  private var buffer = ByteBuffer.allocate(size)

  private def room(size: Int): ByteBuffer = {
    if (buffer.remaining < size) {
      val larger = ByteBuffer.allocate(math.max(buffer.capacity * 2, buffer.position() + size))
      buffer.flip()
      larger.put(buffer)
      buffer = larger
    }
    buffer
  }

  /** Bytes that are not known yet, and where they belong. */
  private var missing = Vector.empty[(Int, () => Array[Byte])]

  /** Begins anew. */
  def clear(): Unit = {
    buffer.clear(): Unit
    missing = Vector.empty
  }

  /** Whether the result can be asked for now. */
  def isComplete: Boolean = missing.isEmpty

  def putByte(value: Int): Unit = room(1).put(value.toByte): Unit
  def putInt(value: Int): Unit = room(4).putInt(value): Unit
  def putLong(value: Long): Unit = room(8).putLong(value): Unit
  def putBytes(value: Array[Byte]): Unit = {
    putInt(value.length)
    room(value.length).put(value): Unit
  }

  /** These bytes alone, without their number. */
  def put(from: Array[Byte], start: Int, end: Int): Unit =
    room(end - start).put(from, start, end - start): Unit

  /** In the order of bytes in which most machines hold them, which is the quickest. */
  def putLongs(values: Array[Long], from: Int, count: Int): Unit = {
    val into = room(count * 8)
    into.duplicate().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(values, from, count)
    into.position(into.position() + count * 8): Unit
  }

  /** Bytes that will be known when the result is asked for. */
  def putLater(value: () => Array[Byte]): Unit = missing :+= ((buffer.position(), value))

  def result: Array[Byte] =
    if (isComplete) java.util.Arrays.copyOf(buffer.array, buffer.position())
    else {
      val whole = new ByteWriter
      val ends = missing.map(_._1) :+ buffer.position()
      whole.put(buffer.array, 0, ends.head)
      missing.zipWithIndex.foreach { case ((start, value), i) =>
        whole.putBytes(value())
        whole.put(buffer.array, start, ends(i + 1))
      }
      whole.result
    }

}

final class ByteReader(bytes: Array[Byte]) {
  private val buffer = ByteBuffer.wrap(bytes)

  def isDone: Boolean = !buffer.hasRemaining
  def getByte: Int = buffer.get().toInt
  def getInt: Int = buffer.getInt
  def getLong: Long = buffer.getLong
  def getLongs(to: Array[Long], at: Int, count: Int): Unit = {
    buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(to, at, count)
    buffer.position(buffer.position() + count * 8): Unit
  }
  def getBytes: Array[Byte] = {
    val value = new Array[Byte](buffer.getInt)
    buffer.get(value)
    value
  }
}

/** How one kind of item is written and read. */
trait Codec[T] {
  def write(item: T, to: ByteWriter): Unit
  def read(from: ByteReader): T
}
