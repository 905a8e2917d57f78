package org.sparkcsql.kernel.changes

import org.sparkcsql.kernel.{ByteReader, ByteWriter}

/** What a query tells of its relation when it answers. */
trait Answering {
  def answer(instant: Long): Unit

  /** What there is now is known already. */
  def skip(): Unit
}

/**
 * When a query over windows answers. Tuples come in order of time; all of them before an instant
 * have come when the instant is passed.
 *
 * @param onInstants whether the query answers at each instant at which any of its windows has
 *   changed, after all changes of that instant; otherwise at each arrival, jump and tick
 * @param timed whether tuples have a time; otherwise each is an instant of its own
 * @param operators those between windows and answer, in the order of the flow
 */
final class RelationClock[R](
    items: IndexedSeq[WindowItem[R]],
    operators: Seq[Settling],
    onInstants: Boolean,
    timed: Boolean,
    answering: Answering) {

  /** The instant whose arrivals are coming in. */
  private var current = Long.MinValue
  private var isOpen = false
  private var hasAnswered = false

  /** The time of the last tuple. */
  def reached: Long = latest

  private var latest = Long.MinValue

  /** @param place what orders the tuple among those of all tasks, where that is asked */
  def arrive(item: Int, time: Long, row: R, place: R): Unit = {
    latest = time
    if (!timed) {
      val due = items(item).arrive(time, row, place)
      if (if (onInstants) touched() else due && items(item).evaluates) answer(time)
    } else if (onInstants) {
      if (isOpen && time != current) close()
      run(time)
      current = time
      isOpen = true
      items(item).arrive(time, row, place): Unit
    } else {
      run(time)
      items.foreach(_.moveTo(time))
      if (items(item).arrive(time, row, place) && items(item).evaluates) answer(time)
    }
  }

  /** All tuples before an instant have come; before the end of time, all of them. */
  def advance(before: Long): Unit = if (timed) {
    if (isOpen && (current < before || before == Long.MaxValue)) close()
    run(before)
  }

  /** The next instant at which there is something to do without a tuple. */
  def next: Long = items.iterator.map(nextOf).min

  private def nextOf(item: WindowItem[R]): Long =
    if (onInstants) math.min(item.nextTick, item.nextMove) else item.nextTick

  private def run(before: Long): Unit = {
    var instant = next
    while (instant < before) {
      pass(instant)
      instant = next
    }
  }

  private def close(): Unit = {
    isOpen = false
    pass(current)
  }

  /** What happens at an instant after its arrivals. */
  private def pass(instant: Long): Unit = {
    var due = false
    items.foreach { item =>
      if (item.nextTick <= instant) {
        val evaluates = item.tick(instant)
        due ||= evaluates && item.evaluates
      }
    }
    if (onInstants) {
      items.foreach(_.moveTo(instant))
      if (touched() || due) answer(instant)
    } else if (due) {
      items.foreach(_.moveTo(instant))
      answer(instant)
    }
  }

  private def touched(): Boolean = {
    var any = false
    items.foreach(item => any |= item.takeTouched())
    any
  }

  private def answer(instant: Long): Unit = {
    operators.foreach(_.settle())
    answering.answer(instant)
    items.foreach(_.answered())
    hasAnswered = true
  }

  def save(to: ByteWriter): Unit = {
    to.putByte(if (hasAnswered) 1 else 0)
    items.foreach(_.save(to))
  }

  def load(from: ByteReader): Unit = {
    hasAnswered = from.getByte == 1
    items.foreach(_.load(from))
    if (hasAnswered) {
      operators.foreach(_.settle())
      answering.skip()
    }
    items.foreach(_.catchUp())
  }
}
