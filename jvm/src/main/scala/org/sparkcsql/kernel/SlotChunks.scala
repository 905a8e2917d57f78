package org.sparkcsql.kernel

import java.util.Arrays

/**
 * Numbered slots of so many words each, which lie on a shelf in chunks. They are added at the end
 * and removed at the start; those behind the last full chunk travel with the owner.
 *
 * @param chunkSize how many slots a chunk has, a power of two
 */
private[kernel] final class SlotChunks(shelf: Shelf, words: Int, chunkSize: Int) {
  require(Integer.bitCount(chunkSize) == 1, s"$chunkSize is no power of two")
  private val bits = Integer.numberOfTrailingZeros(chunkSize)
  private val mask = chunkSize - 1L

  private var start = 0L
  private var afterLast = 0L

  /** Chunks in memory, in a ring with room for a power of two; null: only the shelf has it. */
  private var chunks = new Array[Array[Long]](SlotChunks.Fewest)
  private var isChanged = new Array[Boolean](SlotChunks.Fewest)

  /** The shelf has the chunks before this one, as they were when they were saved. */
  private var shelvedBefore = 0L

  def first: Long = start
  def end: Long = afterLast
  def isEmpty: Boolean = start == afterLast

  /** Where a slot begins in its chunk. */
  def at(slot: Long): Int = (slot & mask).toInt * words

  /** The memory of a slot, to be read. */
  def chunk(slot: Long): Array[Long] = {
    val number = slot >> bits
    val loaded = chunks(ring(number))
    if (loaded != null) loaded else load(number)
  }

  /** The memory of a slot, to be written to. */
  def changed(slot: Long): Array[Long] = {
    val memory = chunk(slot)
    isChanged(ring(slot >> bits)) = true
    memory
  }

  private def ring(number: Long): Int = (number & (chunks.length - 1)).toInt

  private def load(number: Long): Array[Long] = {
    val piece = shelf.get(number)
    if (piece == null) throw new IllegalStateException(s"chunk $number of a window is missing in the state")
    val memory = new Array[Long](chunkSize * words)
    new ByteReader(piece).getLongs(memory, 0, memory.length)
    chunks(ring(number)) = memory
    isChanged(ring(number)) = false
    memory
  }

  def append(): Unit = {
    if ((afterLast & mask) == 0) open(afterLast >> bits, math.min(chunkSize, SlotChunks.Fewest))
    val number = ring(afterLast >> bits)
    val (held, needed) = (chunks(number).length, at(afterLast) + words)
    if (held < needed) chunks(number) = Arrays.copyOf(chunks(number), math.min(held * 2, chunkSize * words))
    afterLast += 1
  }

  /** Most windows are shorter than a chunk: it gets memory as it grows. */
  private def open(number: Long, slots: Int): Unit = {
    if (number - (start >> bits) == chunks.length) grow(chunks.length * 2)
    chunks(ring(number)) = new Array[Long](slots * words)
    isChanged(ring(number)) = true
  }

  private def grow(room: Int): Unit = {
    val (held, wereChanged) = (chunks, isChanged)
    chunks = new Array[Array[Long]](room)
    isChanged = new Array[Boolean](room)
    var number = start >> bits
    while ((number << bits) < afterLast) {
      val before = (number & (held.length - 1)).toInt
      chunks(ring(number)) = held(before)
      isChanged(ring(number)) = wereChanged(before)
      number += 1
    }
  }

  def removeFirst(): Unit = {
    start += 1
    if ((start & mask) == 0) discard((start >> bits) - 1)
    if (isEmpty) {
      if ((start & mask) != 0) discard(start >> bits)
      start = 0
      afterLast = 0
      shelvedBefore = 0
    }
  }

  private def discard(number: Long): Unit = {
    chunks(ring(number)) = null
    if (number < shelvedBefore) shelf.remove(number)
  }

  def save(to: ByteWriter): Unit = {
    val full = afterLast >> bits
    var number = start >> bits
    while (number < full) {
      if (chunks(ring(number)) != null && isChanged(ring(number))) {
        val piece = new ByteWriter(chunkSize * words * 8)
        piece.putLongs(chunks(ring(number)), 0, chunkSize * words)
        shelf.put(number, piece.result)
        isChanged(ring(number)) = false
      }
      number += 1
    }
    shelvedBefore = full
    to.putLong(start)
    to.putLong(afterLast)
    val tail = tailStart
    if (tail < afterLast) to.putLongs(chunk(tail), at(tail), (afterLast - tail).toInt * words)
  }

  /** The first slot that no full chunk has. */
  private def tailStart: Long = math.max(start, afterLast - (afterLast & mask))

  def load(from: ByteReader): Unit = {
    start = from.getLong
    afterLast = from.getLong
    shelvedBefore = afterLast >> bits
    val held = ((afterLast + mask) >> bits) - (start >> bits)
    var room = SlotChunks.Fewest
    while (room < held) room *= 2
    chunks = new Array[Array[Long]](room)
    isChanged = new Array[Boolean](room)
    val (tail, used) = (tailStart, (afterLast & mask).toInt)
    if (used > 0) {
      open(afterLast >> bits, math.min(chunkSize, used + SlotChunks.Fewest))
      from.getLongs(chunk(tail), at(tail), (afterLast - tail).toInt * words)
    }
  }
}

private object SlotChunks {

  /** Chunks in memory, and slots in a new chunk. */
  val Fewest = 4
}
