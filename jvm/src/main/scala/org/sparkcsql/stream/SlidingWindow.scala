package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.sparkcsql.kernel._
import org.sparkcsql.plan.{OverPace, OverWindow}

/** One window of OVER for the key that is open. */
private[stream] abstract class SlidingWindow(factory: GroupFactory, shelf: (Array[Byte], Int) => Shelf) {
  protected var group: Group = null

  def results: Seq[DataType] = factory.resultAttributes.map(_.dataType)

  def open(key: Array[Byte]): Unit = group = factory.make(part => shelf(key, part))
  def load(from: ByteReader): Unit = group.load(from)
  def save(to: ByteWriter): Unit = group.save(to)

  def insert(number: Long, time: Long, row: UnsafeRow): Unit

  /** Whether the window yields at a tuple, as far as tuples are counted. */
  def yieldsAt(number: Long): Boolean

  /** The values of the functions at the newest tuple. */
  def values(number: Long, time: Long): InternalRow

  /** Drops what is gone, when no tuple has come. */
  def advance(number: Long, time: Long): Unit
  def isForgotten: Boolean = group.isForgotten

  /** Whether it depends on how many tuples have come, or on all of them. */
  def counts: Boolean

  /** How long a tuple stays in a window that does not count. */
  def life: Long
}

/**
 * A window that moves with the tuples.
 *
 * @param span how the tuples are kept, which may be in larger pieces than the window tells
 */
private[stream] final class MovingWindow(
    window: OverWindow,
    span: Span,
    factory: GroupFactory,
    shelf: (Array[Byte], Int) => Shelf)
    extends SlidingWindow(factory, shelf) {
  private val slices = factory.slices
  private val every = window.pace match {
    case OverPace.EveryTuples(count) => count
    case _ => 1L
  }

  /** How many tuples at the end of each slot are in its window; the others are never looked at. */
  private val needed = window.span match {
    case Span.Tuples(held, _) => math.min(held, every)
    case _ => every
  }

  override def yieldsAt(number: Long): Boolean = number % every == 0

  override def insert(number: Long, time: Long, row: UnsafeRow): Unit =
    if (isNeeded(number)) {
      // what has left is gone before the tuple comes
      if (!slices.merges) group.advance(number, time)
      group.insert(span.place(slices.number(number), time), row)
    }

  private def isNeeded(number: Long): Boolean =
    needed == every || Math.floorMod(-number, every) < needed

  override def values(number: Long, time: Long): InternalRow = {
    group.advance(number, time)
    group.values
  }

  override def advance(number: Long, time: Long): Unit = group.advance(number, time)

  override def counts: Boolean = factory.remembers || !window.span.isInstanceOf[Span.Time]
  override def life: Long = window.span match {
    case Span.Time(length, _) => length
    case _ => throw new IllegalStateException("this window does not run empty")
  }
}

/** A window whose tuples expire one by one; the rows that they gave are kept until then. */
private[stream] final class ExpiringWindow(
    after: Long,
    factory: GroupFactory,
    keptFields: Int,
    shelf: (Array[Byte], Int) => Shelf)
    extends SlidingWindow(factory, shelf) {
  private var queue: ChunkedSequence[Item[UnsafeRow]] = null
  private var came = 0L
  private var gone = 0L

  private val codec =
    new ItemCodec(new PlaceCodec(enter = false, leave = false, time = true), new RowCodec(keptFields))

  override def open(key: Array[Byte]): Unit = {
    super.open(key)
    queue = new ChunkedSequence(shelf(key, ExpiringWindow.QueuePart), codec)
    came = 0
    gone = 0
  }

  override def load(from: ByteReader): Unit = {
    super.load(from)
    queue.load(from)
    came = from.getLong
    gone = from.getLong
  }

  override def save(to: ByteWriter): Unit = {
    super.save(to)
    queue.save(to)
    to.putLong(came)
    to.putLong(gone)
  }

  override def insert(number: Long, time: Long, row: UnsafeRow): Unit = {
    came += 1
    group.insert(Span.Queue.place(came, time), row)
  }

  override def yieldsAt(number: Long): Boolean = true

  def keep(time: Long, row: UnsafeRow): Unit =
    queue.append(Item(Place(Long.MinValue, Long.MaxValue, time), row))

  /** The next instant at which a tuple expires. */
  def next: Option[Long] = if (queue.isEmpty) None else Some(Instants.plus(queue.first.place.time, after))

  /** Lets the oldest tuple go, and gives back the row it gave. */
  def expire(): UnsafeRow = {
    val row = queue.first.row
    queue.removeFirst()
    gone += 1
    group.advance(gone, Long.MinValue)
    row
  }

  def current: InternalRow = group.values
  override def values(number: Long, time: Long): InternalRow = current
  override def advance(number: Long, time: Long): Unit = ()
  override def isForgotten: Boolean = queue.isEmpty
  override def counts: Boolean = factory.remembers
  override def life: Long = after
}

private[stream] object ExpiringWindow {

  /** The parts before it are those of the group. */
  val QueuePart = 4
}
