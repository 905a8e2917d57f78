package org.sparkcsql.kernel

/** Writes only the axes of a place that a window looks at once the tuple is on its way. */
final class PlaceCodec(enter: Boolean, leave: Boolean, time: Boolean) extends Codec[Place] {
  override def write(place: Place, to: ByteWriter): Unit = {
    if (enter) to.putLong(place.enter)
    if (leave) to.putLong(place.leave)
    if (time) to.putLong(place.time)
  }
  override def read(from: ByteReader): Place = {
    val entering = if (enter) from.getLong else Long.MinValue
    val leaving = if (leave) from.getLong else Long.MaxValue
    Place(entering, leaving, if (time) from.getLong else Long.MinValue)
  }
}

final class ItemCodec[R](places: Codec[Place], rows: Codec[R]) extends Codec[Item[R]] {
  override def write(item: Item[R], to: ByteWriter): Unit = {
    places.write(item.place, to)
    rows.write(item.row, to)
  }
  override def read(from: ByteReader): Item[R] = Item(places.read(from), rows.read(from))
}

/**
 * The window of one group, which lives longer than the process that fills it. Tuples are given to
 * it when they arrive; those of a window that lags wait until an evaluation sees them.
 */
trait KeptWindow[R, A] {

  /** The row becomes the window's own. */
  def insert(place: Place, row: R): Unit

  /** Lets in what has arrived at an evaluation, and drops what is gone. */
  def advance(atSeq: Long, atTime: Long): Unit

  /** Whether an evaluation sees nothing. */
  def isEmpty: Boolean

  /** Whether nothing is kept, not even for later evaluations. */
  def isForgotten: Boolean
  def current: A
  def save(to: ByteWriter): Unit
  def load(from: ByteReader): Unit
}

/** A window that holds partial aggregates. */
trait KeptParts[A] extends KeptWindow[A, A] {

  /**
   * What a tuple of this place is to be added to: what was inserted last, if they may be merged, or new room where
   * the window has the memory itself; or null, if it is to be inserted.
   */
  def openAt(place: Place): A
}

/** No tuple leaves, and aggregates can be merged: one total is kept. */
final class KeptTotal[R, A](aggregation: Aggregation[R, A], totals: Codec[A]) extends KeptWindow[R, A] {
  private var total = aggregation.create()
  private var empty = true

  override def insert(place: Place, row: R): Unit = {
    aggregation.add(total, row)
    empty = false
  }
  override def advance(atSeq: Long, atTime: Long): Unit = ()
  override def isEmpty: Boolean = empty
  override def isForgotten: Boolean = empty
  override def current: A = total
  override def save(to: ByteWriter): Unit = {
    to.putByte(if (empty) 1 else 0)
    totals.write(total, to)
  }
  override def load(from: ByteReader): Unit = {
    empty = from.getByte == 1
    total = totals.read(from)
  }
}

/** Tuples that an evaluation does not see yet, in the order in which it will. */
private[kernel] final class Pending[R](reach: Reach, items: ChunkedSequence[Item[R]]) {
  def isEmpty: Boolean = items.isEmpty
  def add(place: Place, row: R): Unit = items.append(Item(place, row))
  def arrived(atSeq: Long, atTime: Long)(enter: Item[R] => Unit): Unit =
    while (!items.isEmpty && reach.arrived(items.first.place.enter, items.first.place.time, atSeq, atTime)) {
      enter(items.first)
      items.removeFirst()
    }
  def save(to: ByteWriter): Unit = items.save(to)
  def load(from: ByteReader): Unit = items.load(from)
}

/** No tuple leaves a window that lags, and aggregates can be merged: what waits, and one total of what does not. */
final class KeptLateTotal[A](
    reach: Reach,
    aggregation: Aggregation[A, A],
    codec: Codec[A],
    places: Codec[Place],
    shelf: Shelf)
    extends KeptParts[A] {
  private val pending = new Pending[A](reach, new ChunkedSequence(shelf, new ItemCodec(places, codec)))
  private val seen = new KeptTotal[A, A](aggregation, codec)

  override def openAt(place: Place): A = null.asInstanceOf[A]
  override def insert(place: Place, row: A): Unit = pending.add(place, row)
  override def advance(atSeq: Long, atTime: Long): Unit =
    pending.arrived(atSeq, atTime)(item => seen.insert(item.place, item.row))
  override def isEmpty: Boolean = seen.isEmpty
  override def isForgotten: Boolean = seen.isEmpty && pending.isEmpty
  override def current: A = seen.current
  override def save(to: ByteWriter): Unit = {
    pending.save(to)
    seen.save(to)
  }
  override def load(from: ByteReader): Unit = {
    pending.load(from)
    seen.load(from)
  }
}

/**
 * Tuples leave in order and aggregates can be merged: two stacks of partial aggregates, in chunks.
 *
 * @param sliced whether tuples of equal place may be merged: then only a slice is kept of them
 */
final class KeptStacks[A](
    reach: Reach,
    lagging: Boolean,
    sliced: Boolean,
    aggregation: Aggregation[A, A],
    codec: Codec[A],
    placeCodec: Codec[Place],
    pendingPlaces: Codec[Place],
    shelf: Int => Shelf)
    extends KeptParts[A] {
  private val pending =
    new Pending[A](reach, new ChunkedSequence(shelf(0), new ItemCodec(pendingPlaces, codec)))
  private val places = new ChunkedSequence[Place](shelf(1), placeCodec)
  private val back = new ChunkedSequence[A](shelf(2), codec)
  private val front = new ChunkedSequence[A](shelf(3), codec)
  private val stacks = new TwoStacksAccumulator[A, A](aggregation, back, front)
  private val window = new WindowState.Fifo[A, A](reach, places, stacks)
  private var open: Item[A] = null

  override def openAt(place: Place): A =
    if (open != null && open.place == place) open.row else null.asInstanceOf[A]

  override def insert(place: Place, row: A): Unit =
    if (!sliced) enter(place, row)
    else if (open != null && open.place == place) aggregation.merge(open.row, row)
    else {
      closeSlice()
      open = Item(place, row)
    }

  private def enter(place: Place, row: A): Unit =
    if (lagging) pending.add(place, row) else window.insert(place, row)

  private def closeSlice(): Unit = if (open != null) {
    enter(open.place, open.row)
    open = null
  }

  override def advance(atSeq: Long, atTime: Long): Unit = {
    if (open != null && reach.arrived(open.place.enter, open.place.time, atSeq, atTime)) closeSlice()
    if (lagging) pending.arrived(atSeq, atTime)(item => window.insert(item.place, item.row))
    window.evict(atSeq, atTime)
  }

  override def isEmpty: Boolean = window.isEmpty
  override def isForgotten: Boolean = window.isEmpty && pending.isEmpty && open == null
  override def current: A = window.current

  override def save(to: ByteWriter): Unit = {
    to.putByte(if (open == null) 0 else 1)
    if (open != null) {
      pendingPlaces.write(open.place, to)
      codec.write(open.row, to)
    }
    if (lagging) pending.save(to)
    places.save(to)
    back.save(to)
    front.save(to)
    codec.write(stacks.total, to)
  }

  override def load(from: ByteReader): Unit = {
    open = if (from.getByte == 0) null else Item(pendingPlaces.read(from), codec.read(from))
    if (lagging) pending.load(from)
    places.load(from)
    back.load(from)
    front.load(from)
    stacks.restore(codec.read(from))
  }
}

/**
 * The tuples themselves, for aggregates that are added up anew and for queries without any.
 *
 * @param unread whether tuples are added up only when an answer is asked for: most of them may never be
 */
final class KeptRows[R, A](
    reach: Reach,
    lagging: Boolean,
    leaves: Boolean,
    aggregation: Aggregation[R, A],
    codec: Codec[R],
    places: Codec[Place],
    shelf: Int => Shelf,
    unread: Boolean = false)
    extends KeptWindow[R, A] {
  private val pending = new Pending[R](reach, new ChunkedSequence(shelf(0), new ItemCodec(places, codec)))
  private val items = new ChunkedSequence[Item[R]](shelf(1), new ItemCodec(places, codec))

  /** What has been added up so far, as long as nothing has left. */
  private var running: Option[A] = None

  override def insert(place: Place, row: R): Unit =
    if (lagging) pending.add(place, row) else enter(Item(place, row))

  private def enter(item: Item[R]): Unit = {
    items.append(item)
    running.foreach(aggregation.add(_, item.row))
  }

  override def advance(atSeq: Long, atTime: Long): Unit = {
    if (lagging) pending.arrived(atSeq, atTime)(enter)
    while (leaves && !items.isEmpty && reach.gone(
        items.first.place.leave,
        items.first.place.time,
        atSeq,
        atTime)) {
      items.removeFirst()
      running = None
    }
  }

  override def isEmpty: Boolean = items.isEmpty
  override def isForgotten: Boolean = items.isEmpty && pending.isEmpty
  def rows: Iterator[R] = items.forwards.map(_.row)

  override def current: A = running.getOrElse {
    val total = aggregation.create()
    rows.foreach(aggregation.add(total, _))
    if (!unread) running = Some(total)
    total
  }

  override def save(to: ByteWriter): Unit = {
    if (lagging) pending.save(to)
    items.save(to)
  }

  override def load(from: ByteReader): Unit = {
    if (lagging) pending.load(from)
    items.load(from)
  }
}
