package org.sparkcsql.kernel.changes

import org.sparkcsql.kernel._

/**
 * A tuple that a window holds, and its number among the tuples of its stream.
 *
 * @param place what orders it among the tuples of all tasks, where that is asked
 */
final class Held[R](val number: Long, val time: Long, val row: R, val place: R) {
  def id: RowId = new TupleId(number, place)
}

/** @param places those of tuples, which may be none */
final class HeldCodec[R](rows: Codec[R], places: Codec[R]) extends Codec[Held[R]] {
  override def write(tuple: Held[R], to: ByteWriter): Unit = {
    to.putLong(tuple.number)
    to.putLong(tuple.time)
    rows.write(tuple.row, to)
    places.write(tuple.place, to)
  }
  override def read(from: ByteReader): Held[R] =
    new Held(from.getLong, from.getLong, rows.read(from), places.read(from))

  /** A tuple by what a query knows of it. */
  def write(id: RowId, row: R, to: ByteWriter): Unit = {
    val tuple = id.asInstanceOf[TupleId]
    write(new Held(tuple.number, 0, row, tuple.place.asInstanceOf[R]), to)
  }
}

/** What keeps the tuples of a window: in memory, or beyond the life of the process. */
trait Keeping[R] {

  /** A sequence of this window, by its number. */
  def sequence(part: Int): KeptSequence[R]

  /** Where pieces of this window lie that are saved whole. */
  def pieces: Shelf
  def codec: HeldCodec[R]
}

/** A sequence that can be saved. */
final class KeptSequence[R](
    val items: Sequence[Held[R]],
    val save: ByteWriter => Unit,
    val load: ByteReader => Unit)

/** The tuples that a window holds as time goes on and tuples arrive; what enters and leaves is told. */
trait Contents[R] {

  /** A tuple of the stream, at its own time. */
  def arrive(tuple: Held[R]): Unit

  /** Lets in and out what time alone moves, up to an instant. */
  def moveTo(instant: Long): Unit = ()

  /** The next instant at which time alone changes the window. */
  def next: Long = Long.MaxValue

  /** The first instant at which the window holds something, if it holds nothing that has been there before. */
  def filledFrom: Long = Long.MaxValue

  /** Whether time alone makes the window empty. */
  def empties: Boolean = false

  /** All tuples in the window. */
  def held: Iterator[Held[R]]
  def save(to: ByteWriter): Unit
  def load(from: ByteReader): Unit
}

/** `[Range t Lag d]`, `[Now]`: times in (τ−d−t, τ−d]. */
final class TimeContents[R](length: Long, lag: Long, keeping: Keeping[R], out: Receiver[R])
    extends Contents[R] {
  private val (coming, inside) = (keeping.sequence(0), keeping.sequence(1))

  private def enters(tuple: Held[R]): Long = Instants.plus(tuple.time, lag)
  private def leaves(tuple: Held[R]): Long = Instants.plus(enters(tuple), length)

  override def arrive(tuple: Held[R]): Unit = if (lag > 0) coming.items.append(tuple) else enter(tuple)

  private def enter(tuple: Held[R]): Unit = {
    inside.items.append(tuple)
    out.insert(tuple.id, tuple.row)
  }

  override def moveTo(instant: Long): Unit = {
    while (!inside.items.isEmpty && leaves(inside.items.first) <= instant) {
      val tuple = inside.items.first
      inside.items.removeFirst()
      out.delete(tuple.id, tuple.row)
    }
    while (!coming.items.isEmpty && enters(coming.items.first) <= instant) {
      val tuple = coming.items.first
      coming.items.removeFirst()
      if (leaves(tuple) > instant) enter(tuple)
    }
  }

  override def next: Long = math.min(
    if (inside.items.isEmpty) Long.MaxValue else leaves(inside.items.first),
    if (coming.items.isEmpty) Long.MaxValue else enters(coming.items.first))

  override def filledFrom: Long =
    if (!inside.items.isEmpty) enters(inside.items.first)
    else if (!coming.items.isEmpty) enters(coming.items.first)
    else Long.MaxValue

  override def empties: Boolean = true
  override def held: Iterator[Held[R]] = inside.items.forwards

  override def save(to: ByteWriter): Unit = {
    coming.save(to)
    inside.save(to)
  }
  override def load(from: ByteReader): Unit = {
    coming.load(from)
    inside.load(from)
  }
}

/** `[Range Unbounded]`, landmarks and bands: tuples come and stay. */
final class BandContents[R](from: Long, until: Long, keeping: Keeping[R], out: Receiver[R])
    extends Contents[R] {
  private val inside = keeping.sequence(0)

  override def arrive(tuple: Held[R]): Unit = if (tuple.time >= from && tuple.time <= until) {
    if (out.needs(tuple.row)) {
      inside.items.append(tuple)
      out.insert(tuple.id, tuple.row)
    } else out.notice()
  }
  override def held: Iterator[Held[R]] = inside.items.forwards
  override def save(to: ByteWriter): Unit = inside.save(to)
  override def load(from: ByteReader): Unit = inside.load(from)
}

/** `[Rows n]` and `[Range n Tuples Lag d]`. */
final class TupleContents[R](count: Long, lag: Long, keeping: Keeping[R], out: Receiver[R])
    extends Contents[R] {
  private val (coming, inside) = (keeping.sequence(0), keeping.sequence(1))

  override def arrive(tuple: Held[R]): Unit = {
    coming.items.append(tuple)
    if (coming.items.length > lag) {
      val next = coming.items.first
      coming.items.removeFirst()
      if (inside.items.length == count) {
        val oldest = inside.items.first
        inside.items.removeFirst()
        out.delete(oldest.id, oldest.row)
      }
      inside.items.append(next)
      out.insert(next.id, next.row)
    }
  }
  override def held: Iterator[Held[R]] = inside.items.forwards
  override def save(to: ByteWriter): Unit = {
    coming.save(to)
    inside.save(to)
  }
  override def load(from: ByteReader): Unit = {
    coming.load(from)
    inside.load(from)
  }
}
