package org.sparkcsql.stream

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._
import org.sparkcsql.plan.StreamProgram

/** Where the sliding program puts what it finds. */
private[stream] trait SlideSink {

  /** The row of a group at an arrival; `fresh` when its window held nothing before. */
  def group(row: UnsafeRow, arrival: UnsafeRow, values: InternalRow, fresh: Boolean): Unit

  /** A row that enters the window. */
  def entered(row: UnsafeRow, arrival: UnsafeRow): Unit
}

/** Answers at each tuple: for the groups that got new rows, or with the new rows. */
private[stream] final class SlideProgram(
    program: StreamProgram.Slide,
    groups: KeyGroups,
    groupOf: UnsafeRow => UnsafeRow,
    passes: UnsafeRow => Boolean,
    delays: Array[Byte] => DelayLine,
    sink: SlideSink)
    extends KeyProgram {
  private val span = program.span
  private var count = 0L
  private var last = Long.MinValue
  private var delay: DelayLine = null

  /** Whether the groups have been told that their windows are empty: some keep something even so. */
  private var emptied = false

  override def open(key: UnsafeRow): Unit = {
    val owner = key.getBytes
    emptied = false
    count = 0
    last = Long.MinValue
    groups.open(owner)
    if (span.lagging) delay = delays(owner)
  }

  override def load(from: ByteReader): Unit = {
    count = from.getLong
    last = from.getLong
    emptied = from.getByte == 1
    groups.load(from)
    if (span.lagging) delay.load(from)
  }

  override def tuple(tuple: TupleRows): Unit = {
    emptied = false
    count += 1
    last = tuple.time
    val place = span.place(count, tuple.time)
    if (span.lagging) {
      delay.add(place, tuple, passes)
      enter(delay.shown(span.reach, count, tuple.time), tuple)
    } else if (program.selects || !tuple.isOneRow) {
      enter(tuple.rows.filter(passes).map(row => (place, row)), tuple)
    } else if (passes(tuple.first)) answerOne(place, tuple)
    if (groups.wantsPruning) prune(tuple.time)
  }

  private def enter(entering: Iterable[(Place, UnsafeRow)], tuple: TupleRows): Unit =
    if (program.selects) entering.foreach { case (_, row) => sink.entered(row, tuple.first) }
    else if (entering.nonEmpty) answer(entering, tuple)

  private def answerOne(place: Place, tuple: TupleRows): Unit = {
    val group = groups.of(groupOf(tuple.first))
    group.advance(count, tuple.time)
    val fresh = group.isEmpty
    group.insert(place, tuple.first)
    group.advance(count, tuple.time)
    sink.group(tuple.first, tuple.first, group.values, fresh)
  }

  private def answer(entering: Iterable[(Place, UnsafeRow)], tuple: TupleRows): Unit = {
    val byGroup = mutable.LinkedHashMap.empty[UnsafeRow, ArrayBuffer[(Place, UnsafeRow)]]
    entering.foreach { item =>
      val group = groupOf(item._2)
      val items = byGroup.getOrElse(group, new ArrayBuffer[(Place, UnsafeRow)](1))
      if (items.isEmpty) byGroup.put(group.copy(), items)
      items += item
    }
    byGroup.foreach { case (values, items) =>
      val group = groups.of(values)
      group.advance(count, tuple.time)
      val fresh = group.isEmpty
      items.foreach { case (place, row) => group.insert(place, row) }
      // what lags has waited in the delay line already
      group.advance(count, tuple.time)
      sink.group(items.last._2, tuple.first, group.values, fresh)
    }
  }

  private def prune(time: Long): Unit = {
    groups.all.foreach(_._2.advance(count, time))
    groups.prune()
  }

  override def advance(watermark: Long): Unit = span match {
    case _: Span.Time if deadline.exists(_ < watermark) =>
      if (span.lagging) delay.shown(span.reach, count, watermark): Unit
      prune(watermark)
      emptied = true
    case _ =>
  }

  override def isForgotten: Boolean = span match {
    case _: Span.Time => groups.isForgotten && (!span.lagging || delay.isEmpty)
    case _: Span.Staying | Span.Queue => groups.isForgotten
    // the number of a tuple is the number of tuples before it, however long ago
    case _: Span.Tuples => count == 0
  }

  override def deadline: Option[Long] = span match {
    case Span.Time(length, lag) if !emptied && last != Long.MinValue =>
      Some(KeyProgram.emptyBy(last, lag, length))
    case _ => None
  }

  override def save(to: ByteWriter): Unit = {
    to.putLong(count)
    to.putLong(last)
    to.putByte(if (emptied) 1 else 0)
    groups.save(to)
    if (span.lagging) delay.save(to)
  }
}
