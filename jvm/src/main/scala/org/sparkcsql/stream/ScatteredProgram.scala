package org.sparkcsql.stream

import java.util.{ArrayDeque, TreeMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._

/** A tuple of one of many substreams, and when it came into sight; not yet when negative. */
private final class Held(val number: Long, val range: UnsafeRow, val rows: Array[UnsafeRow], var shown: Long)

/**
 * A window that holds the last tuples of each substream, inside one key: each substream pushes out
 * its own tuples, so they leave in any order. All of it is kept in one piece, and aggregates are
 * added up anew.
 */
private[stream] final class ScatteredProgram(
    span: Span.Tuples,
    beat: Option[Beat],
    selects: Boolean,
    grouped: Boolean,
    factory: GroupFactory,
    rangeOf: UnsafeRow => UnsafeRow,
    groupOf: UnsafeRow => UnsafeRow,
    passes: UnsafeRow => Boolean,
    rangeFields: Int,
    fields: Int,
    slide: SlideSink,
    jump: JumpSink)
    extends KeyProgram {
  private val life = Instants.plus(span.lag, span.count)
  private val substreams = mutable.HashMap.empty[UnsafeRow, ArrayDeque[Held]]
  private var count = 0L
  private var next: Option[Long] = None

  override def open(key: UnsafeRow): Unit = {
    substreams.clear()
    count = 0
    next = None
  }

  override def tuple(tuple: TupleRows): Unit = {
    tick(tuple.time)
    count += 1
    val range = rangeOf(tuple.first).copy()
    val own = substreams.getOrElseUpdate(range, new ArrayDeque[Held])
    own.addLast(new Held(count, range, tuple.rows.filter(passes).map(_.copy()).toArray, -1))
    if (own.size > life) own.removeFirst(): Unit
    val entering =
      if (own.size > span.lag) Some(own.asScala.toIndexedSeq(own.size - 1 - span.lag.toInt)) else None
    beat match {
      case None => entering.foreach(arrive(_, tuple.first))
      case Some(pace) =>
        entering.foreach(_.shown = count)
        pace match {
          case Beat.EveryTuples(every) =>
            if (count % every == 0) evaluate(Evaluation(count, tuple.time, Some(tuple.first)))
          case Beat.Ticks(grid) =>
            if (entering.isDefined) next = Some(grid.tickAtOrAfter(tuple.time))
        }
    }
  }

  private def arrive(held: Held, arrival: UnsafeRow): Unit =
    if (selects) {
      held.shown = count
      held.rows.foreach(slide.entered(_, arrival))
    } else {
      val groups = held.rows.iterator.map(row => groupOf(row).copy()).toSeq.distinct
      val before =
        groups.map(group => group -> visible.exists(_.rows.exists(row => groupOf(row) == group))).toMap
      held.shown = count
      groups.foreach { group =>
        val row = held.rows.filter(row => groupOf(row) == group).last
        slide.group(row, arrival, values(group), fresh = !before(group))
      }
    }

  /** What is in sight, in the order in which it came into sight. */
  private def visible: Iterator[Held] = {
    val shown = new TreeMap[Long, Held]
    substreams.valuesIterator.foreach(_.forEach(held =>
      if (held.shown >= 0) shown.put(held.shown, held): Unit))
    shown.values.iterator.asScala
  }

  private def values(group: UnsafeRow): InternalRow = {
    val window = factory.inMemory()
    visible.foreach(_.rows.foreach(row =>
      if (groupOf(row) == group) window.insert(ScatteredProgram.nowhere, row)))
    answer(window)
  }

  private def answer(window: Group): InternalRow = {
    val values = window.values
    window.close()
    values
  }

  private def tick(before: Long): Unit = next.filter(_ < before).foreach { at =>
    next = None
    evaluate(Evaluation(count, at, None))
  }

  private def evaluate(at: Evaluation): Unit =
    if (selects) visible.foreach(_.rows.foreach(jump.row(_, at)))
    else {
      val windows = mutable.LinkedHashMap.empty[UnsafeRow, Group]
      visible.foreach(_.rows.foreach { row =>
        val group = groupOf(row)
        if (!windows.contains(group)) windows.put(group.copy(), factory.inMemory())
        windows(group).insert(ScatteredProgram.nowhere, row)
      })
      if (windows.isEmpty && !grouped) jump.group(null, factory.inMemory().values, at)
      windows.foreach { case (group, window) => jump.group(group, answer(window), at) }
    }

  override def advance(watermark: Long): Unit = tick(watermark)
  override def isForgotten: Boolean = count == 0
  override def deadline: Option[Long] = next

  override def save(to: ByteWriter): Unit = {
    to.putLong(count)
    to.putByte(if (next.isDefined) 1 else 0)
    next.foreach(to.putLong)
    val all = substreams.valuesIterator.flatMap(_.asScala).toArray.sortBy(_.number)
    to.putInt(all.length)
    all.foreach { held =>
      to.putLong(held.number)
      to.putLong(held.shown)
      to.putBytes(held.range.getBytes)
      to.putInt(held.rows.length)
      held.rows.foreach(row => to.putBytes(row.getBytes))
    }
  }

  override def load(from: ByteReader): Unit = {
    count = from.getLong
    next = if (from.getByte == 1) Some(from.getLong) else None
    (0 until from.getInt).foreach { _ =>
      val (number, shown) = (from.getLong, from.getLong)
      val range = RowCodec.read(from.getBytes, rangeFields)
      val rows = Array.fill(from.getInt)(RowCodec.read(from.getBytes, fields))
      substreams
        .getOrElseUpdate(range, new ArrayDeque[Held])
        .addLast(new Held(number, range, rows, shown))
    }
  }
}

private object ScatteredProgram {
  val nowhere: Place = Place(Long.MinValue, Long.MaxValue, Long.MinValue)
}
