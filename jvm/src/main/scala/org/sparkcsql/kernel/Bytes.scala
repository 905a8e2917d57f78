package org.sparkcsql.kernel

import java.nio.ByteBuffer

/** Grows as it is written to. */
final class ByteWriter {
  private var buffer = ByteBuffer.allocate(256)

  private def room(size: Int): ByteBuffer = {
    if (buffer.remaining < size) {
      val larger = ByteBuffer.allocate(math.max(buffer.capacity * 2, buffer.position() + size))
      buffer.flip()
      larger.put(buffer)
      buffer = larger
    }
    buffer
  }

  /** Begins anew. */
  def clear(): Unit = buffer.clear(): Unit

  def putByte(value: Int): Unit = room(1).put(value.toByte): Unit
  def putInt(value: Int): Unit = room(4).putInt(value): Unit
  def putLong(value: Long): Unit = room(8).putLong(value): Unit
  def putBytes(value: Array[Byte]): Unit = {
    putInt(value.length)
    room(value.length).put(value): Unit
  }
  def result: Array[Byte] = java.util.Arrays.copyOf(buffer.array, buffer.position())
}

final class ByteReader(bytes: Array[Byte]) {
  private val buffer = ByteBuffer.wrap(bytes)

  def isDone: Boolean = !buffer.hasRemaining
  def getByte: Int = buffer.get().toInt
  def getInt: Int = buffer.getInt
  def getLong: Long = buffer.getLong
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
