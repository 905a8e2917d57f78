package org.sparkcsql.kernel.changes

import org.sparkcsql.kernel._

/** When a windowed item of a query shows what its window holds. */
sealed trait ItemPace extends Product with Serializable
object ItemPace {
  case object Slides extends ItemPace
  final case class EveryTuples(count: Long) extends ItemPace
  final case class Ticks(grid: Grid) extends ItemPace
}

/**
 * What the query sees of an item, and whether anything has changed there.
 *
 * @param unanswered takes what has changed since the last answer
 */
private[changes] final class Shown[R](out: Receiver[R], unanswered: Option[Receiver[R]])
    extends Receiver[R] {
  var isTouched = false
  var count = 0L
  override def insert(id: RowId, row: R): Unit = {
    isTouched = true
    count += 1
    out.insert(id, row)
    unanswered.foreach(_.insert(id, row))
  }
  override def delete(id: RowId, row: R): Unit = {
    isTouched = true
    count -= 1
    out.delete(id, row)
    unanswered.foreach(_.delete(id, row))
  }
  override def needs(row: R): Boolean = out.needs(row)
  override def notice(): Unit = isTouched = true
}

/**
 * A windowed stream in a query.
 *
 * @param evaluates whether what happens here makes the query answer
 * @param remembers whether changes may be seen long before the query answers: those are saved too
 * @param contents the window, given where it tells what enters and leaves
 */
final class WindowItem[R](
    val pace: ItemPace,
    val evaluates: Boolean,
    remembers: Boolean,
    codec: HeldCodec[R],
    contents: Receiver[R] => Contents[R],
    out: Receiver[R]) {
  private val unanswered = if (remembers) Some(new PendingChanges[R]) else None
  private val shown = new Shown(out, unanswered)

  /** What has entered and left since the last jump. */
  private val unseen = new PendingChanges[R]
  private val jumps = pace != ItemPace.Slides
  private val window = contents(if (jumps) unseen else shown)

  private var arrivals = 0L
  private var lastTick = Long.MinValue
  private var firstUnseen = Long.MaxValue

  /** Takes in a tuple; tells whether the query answers if it answers at arrivals and jumps. */
  def arrive(time: Long, row: R, place: R): Boolean = {
    arrivals += 1
    val tuple = new Held(arrivals, time, row, place)
    pace match {
      case ItemPace.Slides =>
        window.arrive(tuple)
        true
      case ItemPace.EveryTuples(count) =>
        window.moveTo(time)
        window.arrive(tuple)
        val due = arrivals % count == 0
        if (due) unseen.flush(shown)
        due
      case _: ItemPace.Ticks =>
        window.arrive(tuple)
        if (firstUnseen == Long.MaxValue && !unseen.isEmpty) firstUnseen = time
        false
    }
  }

  /** Moves a sliding window to an instant. */
  def moveTo(instant: Long): Unit = if (!jumps) window.moveTo(instant)

  /** The next instant at which a sliding window changes by itself. */
  def nextMove: Long = if (jumps) Long.MaxValue else window.next

  /** The next tick at which the item has something to show. */
  def nextTick: Long = pace match {
    case ItemPace.Ticks(grid) =>
      if (!window.empties) if (unseen.isEmpty) Long.MaxValue else grid.tickAtOrAfter(firstUnseen)
      else if (shown.count > 0) Math.addExact(lastTick, grid.step)
      else {
        val filled = window.filledFrom
        if (filled == Long.MaxValue) filled
        else {
          val tick = grid.tickAtOrAfter(filled)
          if (lastTick == Long.MinValue) tick else math.max(tick, Math.addExact(lastTick, grid.step))
        }
      }
    case _ => Long.MaxValue
  }

  /** Jumps at a tick; tells whether the item evaluates there. */
  def tick(instant: Long): Boolean = {
    window.moveTo(instant)
    val changed = !unseen.isEmpty
    unseen.flush(shown)
    lastTick = instant
    firstUnseen = Long.MaxValue
    if (window.empties) shown.count > 0 else changed
  }

  /** Whether the query has seen a change here since this was asked last. */
  def takeTouched(): Boolean = {
    val was = shown.isTouched
    shown.isTouched = false
    was
  }

  /** The query has answered. */
  def answered(): Unit = unanswered.foreach(_.clear())

  def save(to: ByteWriter): Unit = {
    to.putLong(arrivals)
    to.putLong(lastTick)
    to.putLong(firstUnseen)
    unseen.save(codec, to)
    unanswered.foreach(_.save(codec, to))
    window.save(to)
  }

  /** Takes back what was saved, and shows it as it was shown at the last answer. */
  def load(from: ByteReader): Unit = {
    arrivals = from.getLong
    lastTick = from.getLong
    firstUnseen = from.getLong
    unseen.load(codec, from)
    unanswered.foreach(_.load(codec, from))
    window.load(from)
    val before = window.held.collect { case held if !unseen.hasInserted(held.id) => (held.id, held.row) } ++
      unseen.deleted
    before.filterNot { case (id, _) => unanswered.exists(_.hasInserted(id)) }.foreach { case (id, row) =>
      shownBefore(id, row)
    }
    unanswered.foreach(_.deleted.foreach { case (id, row) => shownBefore(id, row) })
    shown.isTouched = false
  }

  private def shownBefore(id: RowId, row: R): Unit = {
    shown.count += 1
    out.insert(id, row)
  }

  /** Shows what has changed since the last answer. */
  def catchUp(): Unit = unanswered.foreach { changes =>
    val again = new PendingChanges[R]
    changes.flush(again)
    again.flush(shown)
    shown.isTouched = false
  }
}
