package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.batch.Ticks
import org.sparkcsql.kernel._

/** Where the program puts its rows. */
private[stream] trait SlidesSink {

  /** The row of a tuple that yields, with the values of all windows. */
  def arrived(row: UnsafeRow, values: InternalRow, time: Long): Unit

  /** The row of a tuple that does not yield, where such rows are wanted. */
  def passed(row: UnsafeRow): Unit

  /** A row that is no tuple. */
  def passedBy(row: UnsafeRow, time: Long): Unit

  /** What is kept of a tuple until it expires: its row as it was answered. */
  def kept(row: UnsafeRow, values: InternalRow): UnsafeRow

  /** The row of a tuple that expires from a window, with the values of that window over what is left. */
  def expired(kept: UnsafeRow, window: Int, values: InternalRow, instant: Long): Unit
}

/**
 * OVER with SLIDE and ACTIVE EXPIRATION: a row for each tuple of the key at which every window
 * yields, and one for each tuple that expires.
 *
 * Which tuple is the last of a slot is known when the next one comes, or when the slot is over; until
 * then it is held. The windows are not looked at before a tuple yields.
 *
 * @param arrives whether a row is a tuple; others pass by
 */
private[stream] final class SlidesProgram(
    windows: Seq[SlidingWindow],
    grids: Seq[Grid],
    marks: Boolean,
    fields: Int,
    arrives: UnsafeRow => Boolean,
    sink: SlidesSink)
    extends KeyProgram {
  private val expiring = windows.collect { case window: ExpiringWindow => window }
  private val codec = new RowCodec(fields)
  private val values = new GroupValues(windows.map(_.results))
  private val counts = windows.exists(_.counts)

  private var count = 0L
  private var last = Long.MinValue
  private var held: UnsafeRow = null

  /** Whether the windows have been told that they are empty: some keep something even so. */
  private var emptied = false

  override def open(key: UnsafeRow): Unit = {
    emptied = false
    windows.foreach(_.open(key.getBytes))
    count = 0
    last = Long.MinValue
    held = null
  }

  override def load(from: ByteReader): Unit = {
    count = from.getLong
    last = from.getLong
    held = codec.read(from)
    windows.foreach(_.load(from))
  }

  override def save(to: ByteWriter): Unit = {
    to.putLong(count)
    to.putLong(last)
    codec.write(held, to)
    windows.foreach(_.save(to))
  }

  override def tuple(tuple: TupleRows): Unit =
    if (arrives(tuple.first)) arrive(tuple) else sink.passedBy(tuple.first, tuple.time)

  private def arrive(tuple: TupleRows): Unit = {
    expire(tuple.time)
    if (held != null) decide(grids.forall(grid => slot(grid, last) != slot(grid, tuple.time)))
    val row = tuple.first
    emptied = false
    count += 1
    last = tuple.time
    windows.foreach(_.insert(count, last, row))
    if (!windows.forall(_.yieldsAt(count))) pass(row)
    else if (grids.isEmpty) answer(row)
    else held = row.copy()
  }

  private def slot(grid: Grid, time: Long): Long = Ticks.atOrAfter(grid.origin, grid.step, 0, time)

  /** The held tuple yields, or it does not. */
  private def decide(yields: Boolean): Unit = {
    val row = held
    held = null
    if (yields) answer(row) else pass(row)
  }

  private def pass(row: UnsafeRow): Unit = if (marks) sink.passed(row)

  private def answer(row: UnsafeRow): Unit = {
    windows.indices.foreach(i => values.set(i, windows(i).values(count, last)))
    sink.arrived(row, values.row, last)
    if (expiring.nonEmpty) {
      val kept = sink.kept(row, values.row)
      expiring.foreach(_.keep(last, kept))
    }
  }

  /** Lets tuples go whose instant has come before another one. */
  private def expire(before: Long): Unit = windows.indices.foreach { i =>
    windows(i) match {
      case window: ExpiringWindow =>
        while (window.next.exists(_ < before)) {
          val instant = window.next.get
          val kept = window.expire()
          sink.expired(kept, i, window.current, instant)
        }
      case _ =>
    }
  }

  override def advance(watermark: Long): Unit = {
    expire(watermark)
    if (held != null && slotsEnd < watermark) decide(yields = true)
    if (held == null && emptyBy.exists(_ < watermark)) {
      windows.foreach(_.advance(count, watermark))
      emptied = true
    }
  }

  private def slotsEnd: Long = grids.map(slot(_, last)).max

  /** When the windows have run empty, if all of them do by themselves and nothing is counted. */
  private def emptyBy: Option[Long] =
    if (counts || emptied || last == Long.MinValue) None
    else Some(windows.map(window => KeyProgram.emptyBy(last, 0, window.life)).max)

  override def isForgotten: Boolean =
    held == null && (!counts || count == 0) && windows.forall(_.isForgotten)

  override def deadline: Option[Long] = {
    val instants = expiring.flatMap(_.next) ++ (if (held == null) emptyBy else Some(slotsEnd))
    instants.minOption
  }
}

/** The values of several windows in one row. */
private[stream] final class GroupValues(results: Seq[Seq[org.apache.spark.sql.types.DataType]]) {
  private val starts = results.map(_.length).scanLeft(0)(_ + _)
  val row = new org.apache.spark.sql.catalyst.expressions.GenericInternalRow(starts.last)

  def set(window: Int, values: InternalRow): Unit = {
    val types = results(window)
    var i = 0
    while (i < types.length) {
      row.update(starts(window) + i, InternalRow.copyValue(values.get(i, types(i))))
      i += 1
    }
  }
}
