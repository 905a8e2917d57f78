package org.sparkcsql.kernel

import scala.collection.{mutable, AbstractIterator}
import scala.collection.mutable.ArrayBuffer

/** Keeps numbered pieces of something between two uses. */
trait Shelf {

  /** The piece under a number, or null. */
  def get(no: Long): Array[Byte]
  def put(no: Long, piece: Array[Byte]): Unit
  def remove(no: Long): Unit
}

/**
 * A sequence that lies on a shelf in chunks of equal size. Using an end of it costs one chunk,
 * however long it is; the newest items, fewer than a chunk, travel with the owner.
 */
final class ChunkedSequence[T](shelf: Shelf, codec: Codec[T], chunkSize: Int = ChunkedSequence.ChunkSize)
    extends Sequence[T] {
  private var head = 0L
  private var end = 0L

  /** The items from the last chunk border to the end. */
  private val tail = new ArrayBuffer[T]

  /** Full chunks in memory, and those of them that the shelf does not have yet. */
  private lazy val full = mutable.LongMap.empty[Array[Any]]
  private lazy val unsaved = {
    hasUnsaved = true
    mutable.LongMap.empty[Unit]
  }

  /** The full chunk that was used last: those who use one item of it use the next ones too. */
  private var usedNumber = ChunkedSequence.NoChunk
  private var used: Array[Any] = null

  /** Most sequences are shorter than a chunk: they do not pay for the maps. */
  private var hasUnsaved = false

  private def tailStart: Long = end - tail.length

  override def length: Long = end - head

  override def append(item: T): Unit = {
    tail += item
    end += 1
    if (tail.length == chunkSize) {
      val number = (end - 1) / chunkSize
      full(number) = tail.toArray[Any]
      unsaved(number) = ()
      tail.clear()
    }
  }

  override def first: T = at(head)
  override def last: T = at(end - 1)

  private def at(index: Long): T =
    if (index >= tailStart) tail((index - tailStart).toInt)
    else chunk(index / chunkSize)((index % chunkSize).toInt).asInstanceOf[T]

  private def chunk(number: Long): Array[Any] = {
    if (number != usedNumber) {
      used = full.getOrElseUpdate(number, load(number))
      usedNumber = number
    }
    used
  }

  private def load(number: Long): Array[Any] = {
    val piece = shelf.get(number)
    if (piece == null) throw new IllegalStateException(s"chunk $number of a sequence is missing in the state")
    val from = new ByteReader(piece)
    val gone = from.getInt
    Array.tabulate[Any](chunkSize)(i => if (i < gone) null else codec.read(from))
  }

  override def removeFirst(): Unit = {
    val number = head / chunkSize
    val wasFull = head < tailStart
    head += 1
    if (wasFull && head / chunkSize != number) discard(number)
    if (head == end) restart()
  }

  override def removeLast(): Unit = {
    if (tail.isEmpty) {
      val number = (end - 1) / chunkSize
      chunk(number).foreach(item => tail += item.asInstanceOf[T])
      discard(number)
    }
    tail.dropRightInPlace(1)
    end -= 1
    if (head == end) restart()
  }

  private def discard(number: Long): Unit = {
    if (number == usedNumber) {
      usedNumber = ChunkedSequence.NoChunk
      used = null
    }
    full.remove(number)
    if (unsaved.remove(number).isEmpty) shelf.remove(number)
  }

  private def restart(): Unit = {
    val (first, afterLast) = (head / chunkSize, tailStart / chunkSize)
    var number = first
    while (number < afterLast) {
      discard(number)
      number += 1
    }
    head = 0
    end = 0
    tail.clear()
  }

  override def clear(): Unit = if (!isEmpty) restart()

  override def forwards: Iterator[T] = items(head, 1)
  override def backwards: Iterator[T] = items(end - 1, -1)

  private def items(start: Long, step: Int): Iterator[T] = new AbstractIterator[T] {
    private var index = start

    override def hasNext: Boolean = index >= head && index < end
    override def next(): T = {
      val item = at(index)
      index += step
      item
    }
  }

  /** Puts new chunks on the shelf, and what is left with the owner. */
  def save(to: ByteWriter): Unit = {
    if (hasUnsaved) {
      unsaved.keysIterator.toArray.foreach { number =>
        val piece = new ByteWriter
        val gone = math.max(0L, head - number * chunkSize).toInt
        piece.putInt(gone)
        full(number).iterator.drop(gone).foreach(item => codec.write(item.asInstanceOf[T], piece))
        shelf.put(number, piece.result)
      }
      unsaved.clear()
    }
    to.putLong(head)
    to.putLong(end)
    // Items before the head are gone, but keep their places in the last chunk.
    val kept = math.max(0L, head - tailStart).toInt
    to.putInt(tail.length - kept)
    tail.iterator.drop(kept).foreach(codec.write(_, to))
  }

  def load(from: ByteReader): Unit = {
    head = from.getLong
    end = from.getLong
    val count = from.getInt
    val gone = (end % chunkSize).toInt - count
    tail.clear()
    (0 until gone).foreach(_ => tail += null.asInstanceOf[T])
    (0 until count).foreach(_ => tail += codec.read(from))
  }
}

object ChunkedSequence {
  val ChunkSize = 32
  private val NoChunk = -1L
}
