package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._
import org.sparkcsql.plan.StreamProgram

/** Where a jumping program puts what it finds. */
private[stream] trait JumpSink {

  /** The row of a group at a jump; without an arrival it is the tick that tells the time. */
  def group(values: UnsafeRow, results: InternalRow, at: Evaluation): Unit

  /** A row that is in the window at a jump. */
  def row(row: UnsafeRow, at: Evaluation): Unit
}

/** One evaluation: at a tuple, whose row tells its place in the stream, or at a tick. */
private[stream] final case class Evaluation(seq: Long, time: Long, arrival: Option[UnsafeRow])

/**
 * Answers at jumps with all groups in the window.
 *
 * @param grouped whether there is a GROUP BY: without one, an empty window answers too
 */
private[stream] final class JumpProgram(
    program: StreamProgram.Jump,
    groups: KeyGroups,
    slices: Slicing,
    grouped: Boolean,
    groupOf: UnsafeRow => UnsafeRow,
    passes: UnsafeRow => Boolean,
    inside: UnsafeRow => Boolean,
    sink: JumpSink)
    extends KeyProgram {
  private val span = program.span
  private val emptiesByItself = span.isInstanceOf[Span.Time]

  /** Whether the tuples that have not passed make a window not empty: then they are kept as such. */
  private val countsAll = emptiesByItself && program.beat.isInstanceOf[Beat.Ticks]

  private var count = 0L
  private var last = Long.MinValue

  /** The next tick to look at: while a window by time holds something, or after another one has changed. */
  private var next: Option[Long] = None

  override def open(key: UnsafeRow): Unit = {
    count = 0
    last = Long.MinValue
    next = None
    groups.open(key.getBytes)
  }

  override def load(from: ByteReader): Unit = {
    count = from.getLong
    last = from.getLong
    next = if (from.getByte == 1) Some(from.getLong) else None
    groups.load(from)
  }

  override def save(to: ByteWriter): Unit = {
    to.putLong(count)
    to.putLong(last)
    to.putByte(if (next.isDefined) 1 else 0)
    next.foreach(to.putLong)
    groups.save(to)
  }

  override def tuple(tuple: TupleRows): Unit = {
    program.beat match {
      case Beat.Ticks(_) => tick(tuple.time)
      case _: Beat.EveryTuples =>
    }
    count += 1
    last = tuple.time
    val within = inside(tuple.first)
    if (within) insert(tuple)
    program.beat match {
      case Beat.EveryTuples(jump) =>
        if (count % jump == 0) evaluate(Evaluation(count, tuple.time, Some(tuple.first)))
      case Beat.Ticks(grid) => wait(grid, tuple.time, within)
    }
    if (groups.wantsPruning) prune(Evaluation(count, tuple.time, None))
  }

  private def wait(grid: Grid, time: Long, within: Boolean): Unit = span match {
    case Span.Time(_, lag) =>
      if (next.isEmpty && !groups.isForgotten) next = Some(grid.tickAtOrAfter(Instants.plus(time, lag)))
    case _ => if (within && changes) next = Some(grid.tickAtOrAfter(time))
  }

  private def changes: Boolean = span match {
    case Span.Tuples(_, lag) => count > lag
    case _ => true
  }

  private def insert(tuple: TupleRows): Unit = {
    val place = span.place(slices.number(count), slices.time(tuple.time))
    if (everSeen(place, tuple.time)) {
      tuple.foreach { row =>
        if (passes(row)) groups.of(groupOf(row)).insert(place, row)
        else if (countsAll && !grouped && !program.selects) groups.of(groupOf(row)).insertNothing(place)
      }
    }
  }

  /** A frequency longer than its window: tuples that no window holds are not kept. */
  private def everSeen(place: Place, time: Long): Boolean = (span, program.beat) match {
    case (Span.Tuples(window, _), Beat.EveryTuples(jump)) if window < jump =>
      Grid(0, jump).tickAtOrAfter(place.enter) < place.leave
    case (Span.Time(length, lag), Beat.Ticks(grid)) if length < grid.step =>
      val shown = Instants.plus(time, lag)
      grid.tickAtOrAfter(shown) < Instants.plus(shown, length)
    case _ => true
  }

  /** Answers the ticks before an instant. */
  private def tick(before: Long): Unit = while (next.exists(_ < before)) {
    val at = next.get
    evaluate(Evaluation(if (emptiesByItself) Points.AfterAll else count, at, None))
    next = if (emptiesByItself && !groups.isForgotten) Some(at + step) else None
  }

  private def step: Long = program.beat match {
    case Beat.Ticks(grid) => grid.step
    case Beat.EveryTuples(jump) => jump
  }

  private def evaluate(at: Evaluation): Unit = {
    groups.all.foreach { case (values, group) =>
      group.advance(at.seq, at.time)
      if (program.selects) group.rows.foreach(sink.row(_, at))
      else if (!group.isEmpty || (!grouped && !countsAll)) sink.group(values, group.values, at)
    }
    groups.prune()
  }

  private def prune(at: Evaluation): Unit = {
    groups.all.foreach(_._2.advance(at.seq, at.time))
    groups.prune()
  }

  override def advance(watermark: Long): Unit = program.beat match {
    case _: Beat.Ticks => tick(watermark)
    case _: Beat.EveryTuples =>
      if (deadline.exists(_ < watermark)) prune(Evaluation(count, watermark, None))
  }

  override def isForgotten: Boolean = program.beat match {
    case _: Beat.Ticks if emptiesByItself => groups.isForgotten
    case _ => count == 0
  }

  override def deadline: Option[Long] = (span, program.beat) match {
    case (_, _: Beat.Ticks) => next
    case (Span.Time(length, lag), _) if !groups.isForgotten => Some(KeyProgram.emptyBy(last, lag, length))
    case _ => None
  }
}
