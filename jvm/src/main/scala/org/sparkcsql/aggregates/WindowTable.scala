package org.sparkcsql.aggregates

import java.util.ArrayDeque

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.sparkcsql.kernel.{ByteReader, ByteWriter, Shelf}

/**
 * The tuples in a window, which lie on a shelf in chunks by their numbers. A tuple that comes or
 * goes costs one chunk at most, however long the window is; what looks at all tuples reads all chunks.
 * The newest tuples, fewer than a chunk, travel with the owner.
 */
final class WindowTable(fields: Int, shelf: Shelf, chunkSize: Int = WindowTable.ChunkSize)
    extends LocalTable(fields) {

  /** Rows of chunks that were read, older than the rows of the table itself. */
  private val front = new ArrayDeque[LocalRow]

  /** The chunks on the shelf, those of them that were not read, and those that have lost a row in their middle. */
  private var (storedFrom, storedTo) = (0L, 0L)
  private var (unreadFrom, unreadTo) = (0L, 0L)
  private val changed = mutable.LongMap.empty[Unit]

  /** Tuples with smaller numbers are gone; the oldest chunk may still have some of them. */
  private var oldest = 1L

  private def chunkOf(number: Long): Long = (number - 1) / chunkSize

  override def first: LocalRow = {
    dropDead()
    while (front.isEmpty && unreadFrom < unreadTo) {
      readNext()
      dropDead()
    }
    if (front.isEmpty) super.first else front.peekFirst
  }

  override def all: Iterator[LocalRow] = {
    while (unreadFrom < unreadTo) readNext()
    front.iterator.asScala.filter(_.isLive) ++ super.all
  }

  override def delete(old: LocalRow): Unit = {
    if ((old ne first) && chunkOf(old.number) < storedTo) changed(chunkOf(old.number)) = ()
    super.delete(old)
    if (live == 0) {
      front.clear()
      unreadFrom = unreadTo
    }
  }

  private def dropDead(): Unit = while (!front.isEmpty && !front.peekFirst.isLive) front.pollFirst()

  private def readNext(): Unit = {
    val piece = shelf.get(unreadFrom)
    if (piece == null)
      throw new IllegalStateException(s"chunk $unreadFrom of a window is missing in the state")
    readRows(new ByteReader(piece)).filter(_.number >= oldest).foreach(front.addLast)
    unreadFrom += 1
  }

  private def readRows(from: ByteReader): Seq[LocalRow] = Seq.fill(from.getInt)(read(from))

  private def writeRows(of: Seq[LocalRow], to: ByteWriter): Unit = {
    to.putInt(of.length)
    of.foreach(write(_, to))
  }

  /** The number of the oldest tuple, or of one before it where it was not read. */
  private def head: Long = {
    dropDead()
    if (!front.isEmpty) front.peekFirst.number
    else if (unreadFrom < unreadTo) math.max(oldest, unreadFrom * chunkSize + 1)
    else Option(super.first).fold(came + 1)(_.number)
  }

  override def save(to: ByteWriter): Unit = {
    oldest = head
    val (from, complete) = (chunkOf(oldest), came / chunkSize)
    while (storedFrom < math.min(storedTo, from)) {
      shelf.remove(storedFrom)
      storedFrom += 1
    }
    changed.keysIterator.filter(_ >= from).toArray.foreach { chunk =>
      put(
        chunk,
        (front.iterator.asScala ++ rows.iterator.asScala).filter(r => chunkOf(r.number) == chunk).toSeq)
    }
    changed.clear()
    val unstored = newest(math.max(storedTo, from)).groupBy(row => chunkOf(row.number))
    (math.max(storedTo, from) until complete).foreach(chunk => put(chunk, unstored.getOrElse(chunk, Nil)))
    storedFrom = from
    storedTo = complete
    to.putLong(came)
    to.putInt(live)
    to.putLong(oldest)
    writeRows(unstored.getOrElse(complete, Nil), to)
  }

  private def put(chunk: Long, of: Seq[LocalRow]): Unit = {
    val piece = new ByteWriter
    writeRows(of.filter(_.isLive), piece)
    shelf.put(chunk, piece.result)
  }

  /** The rows of a chunk and of all later ones. */
  private def newest(chunk: Long): Seq[LocalRow] =
    rows.descendingIterator.asScala.takeWhile(row => chunkOf(row.number) >= chunk).filter(_.isLive).toSeq
      .reverse

  override def load(from: ByteReader): Unit = {
    came = from.getLong
    live = from.getInt
    oldest = from.getLong
    storedFrom = chunkOf(oldest)
    storedTo = came / chunkSize
    unreadFrom = storedFrom
    unreadTo = storedTo
    readRows(from).foreach(rows.addLast)
  }
}

object WindowTable {
  val ChunkSize = 32
}
