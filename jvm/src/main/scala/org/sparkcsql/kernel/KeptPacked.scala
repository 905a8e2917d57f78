package org.sparkcsql.kernel

/**
 * Accumulators as so many words of somebody's memory.
 *
 * @tparam A what words are read as: a view, to be used before the next one is asked for
 */
trait WordAggregation[A] {
  def words: Int

  /** Makes the words an accumulator that has seen no row. */
  def create(memory: Array[Long], at: Int): Unit
  def write(memory: Array[Long], at: Int, part: A): Unit
  def merge(memory: Array[Long], at: Int, newer: A): Unit
  def merge(older: Array[Long], olderAt: Int, newer: Array[Long], newerAt: Int): Unit
  def view(memory: Array[Long], at: Int): A
}

/** Which axes of a place a window looks at; each is a word before the accumulator of its slot. */
final case class PlaceWords(enter: Boolean, leave: Boolean, time: Boolean) {
  val words: Int = Seq(enter, leave, time).count(identity)
  private val (leaveAt, timeAt) = (if (enter) 1 else 0, Seq(enter, leave).count(identity))

  def write(place: Place, memory: Array[Long], at: Int): Unit = {
    if (enter) memory(at) = place.enter
    if (leave) memory(at + leaveAt) = place.leave
    if (time) memory(at + timeAt) = place.time
  }
  def entering(memory: Array[Long], at: Int): Long = if (enter) memory(at) else Long.MinValue
  def leaving(memory: Array[Long], at: Int): Long = if (leave) memory(at + leaveAt) else Long.MaxValue
  def time(memory: Array[Long], at: Int): Long = if (time) memory(at + timeAt) else Long.MinValue
  def same(place: Place, memory: Array[Long], at: Int): Boolean =
    (!enter || memory(at) == place.enter) && (!leave || memory(at + leaveAt) == place.leave) &&
      (!time || memory(at + timeAt) == place.time)
}

/**
 * Tuples leave in order, and aggregates of a fixed width can be merged: the two stacks of
 * [[PackedStacks]], in slots that lie in chunks of memory. Each tuple, or slice, is a slot. From
 * `first` to `turned` a slot holds the total from its own tuple to the last one before `turned`,
 * behind it its own tuple alone. Those from `seen` on are not in the window yet.
 *
 * @param waits whether tuples are in the window only when an evaluation has come that sees them
 * @param sliced whether tuples of equal place may be merged: then only a slice is kept of them
 */
final class KeptPacked[A](
    reach: Reach,
    waits: Boolean,
    sliced: Boolean,
    aggregation: WordAggregation[A],
    places: PlaceWords,
    shelf: Shelf,
    chunkSize: Int)
    extends KeptParts[A] {
  private val slots = new SlotChunks(shelf, places.words + aggregation.words, chunkSize)
  private var turned = 0L
  private var seen = 0L

  /** The total from `turned` to `seen`, and room for that of the whole window. */
  private val backTotal = new Array[Long](aggregation.words)
  private lazy val whole = new Array[Long](aggregation.words)
  aggregation.create(backTotal, 0)

  private def valueAt(slot: Long): Int = slots.at(slot) + places.words

  override def openAt(place: Place): A = {
    val last = if (isOpen(place)) changedLast else append(place)
    aggregation.view(last, valueAt(slots.end - 1))
  }

  override def insert(place: Place, part: A): Unit =
    if (isOpen(place)) aggregation.merge(changedLast, valueAt(slots.end - 1), part)
    else aggregation.write(append(place), valueAt(slots.end - 1), part)

  private def isOpen(place: Place): Boolean = sliced && seen < slots.end &&
    places.same(place, slots.chunk(slots.end - 1), slots.at(slots.end - 1))

  private def changedLast: Array[Long] = slots.changed(slots.end - 1)

  private def append(place: Place): Array[Long] = {
    seeWhatIsThere()
    slots.append()
    places.write(place, changedLast, slots.at(slots.end - 1))
    aggregation.create(changedLast, valueAt(slots.end - 1))
    changedLast
  }

  /** A tuple is added to its slot when it comes, and to the total when the window is next looked at. */
  private def seeWhatIsThere(): Unit = if (!waits && !sliced) while (seen < slots.end) see()

  private def see(): Unit = {
    aggregation.merge(backTotal, 0, slots.chunk(seen), valueAt(seen))
    seen += 1
  }

  override def advance(atSeq: Long, atTime: Long): Unit = {
    seeWhatIsThere()
    while (seen < slots.end && hasArrived(seen, atSeq, atTime)) see()
    while (slots.first < seen && isGone(slots.first, atSeq, atTime)) removeFirst()
  }

  private def hasArrived(slot: Long, atSeq: Long, atTime: Long): Boolean = {
    val (memory, at) = (slots.chunk(slot), slots.at(slot))
    reach.arrived(places.entering(memory, at), places.time(memory, at), atSeq, atTime)
  }

  private def isGone(slot: Long, atSeq: Long, atTime: Long): Boolean = {
    val (memory, at) = (slots.chunk(slot), slots.at(slot))
    reach.gone(places.leaving(memory, at), places.time(memory, at), atSeq, atTime)
  }

  private def removeFirst(): Unit = {
    if (slots.first == turned) turnOver()
    slots.removeFirst()
    if (slots.isEmpty) {
      turned = slots.first
      seen = slots.first
    }
  }

  private def turnOver(): Unit = {
    var slot = seen - 2
    while (slot >= slots.first) {
      aggregation.merge(slots.changed(slot), valueAt(slot), slots.chunk(slot + 1), valueAt(slot + 1))
      slot -= 1
    }
    turned = seen
    aggregation.create(backTotal, 0)
  }

  override def isEmpty: Boolean = {
    seeWhatIsThere()
    slots.first == seen
  }
  override def isForgotten: Boolean = slots.isEmpty

  override def current: A = {
    seeWhatIsThere()
    if (slots.first == turned) aggregation.view(backTotal, 0)
    else if (turned == seen) aggregation.view(slots.chunk(slots.first), valueAt(slots.first))
    else {
      System.arraycopy(slots.chunk(slots.first), valueAt(slots.first), whole, 0, whole.length)
      aggregation.merge(whole, 0, backTotal, 0)
      aggregation.view(whole, 0)
    }
  }

  override def save(to: ByteWriter): Unit = {
    seeWhatIsThere()
    to.putLong(turned)
    to.putLong(seen)
    to.putLongs(backTotal, 0, backTotal.length)
    slots.save(to)
  }

  override def load(from: ByteReader): Unit = {
    turned = from.getLong
    seen = from.getLong
    from.getLongs(backTotal, 0, backTotal.length)
    slots.load(from)
  }
}
