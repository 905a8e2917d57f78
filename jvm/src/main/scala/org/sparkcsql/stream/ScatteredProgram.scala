package org.sparkcsql.stream

import java.util.TreeMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._

/** A tuple of one of many substreams, and when it came into sight; not yet when negative. */
private final class Held(val number: Long, val range: UnsafeRow, val rows: Array[UnsafeRow], var shown: Long)

/**
 * A window that holds the last tuples of each substream, inside one key: each substream pushes out
 * its own tuples, so they leave in any order. All of it is stored in one piece.
 */
private[stream] final class ScatteredProgram(
    span: Span.Tuples,
    beat: Option[Beat],
    selects: Boolean,
    grouped: Boolean,
    made: ScatteredGroups,
    rangeOf: UnsafeRow => UnsafeRow,
    groupOf: UnsafeRow => UnsafeRow,
    passes: UnsafeRow => Boolean,
    rangeFields: Int,
    groupFields: Int,
    fields: Int,
    slide: SlideSink,
    jump: JumpSink)
    extends KeyProgram {
  private val life = Instants.plus(span.lag, span.count)
  private val substreams = mutable.HashMap.empty[UnsafeRow, mutable.ArrayDeque[Held]]

  /** What is in sight, in the order in which it came into sight, and its groups. */
  private val inSight = new TreeMap[Long, Held]
  private val groups = mutable.LinkedHashMap.empty[UnsafeRow, GroupInSight]
  private var count = 0L
  private var next: Option[Long] = None

  override def open(key: UnsafeRow): Unit = {
    substreams.clear()
    inSight.clear()
    groups.clear()
    count = 0
    next = None
  }

  override def tuple(tuple: TupleRows): Unit = {
    tick(tuple.time)
    count += 1
    val range = rangeOf(tuple.first).copy()
    val own = substreams.getOrElseUpdate(range, mutable.ArrayDeque.empty)
    own += new Held(count, range, tuple.rows.filter(passes).map(_.copy()).toArray, -1)
    if (own.size > life) hide(own.removeHead())
    val entering = if (own.size > span.lag) Some(own(own.size - 1 - span.lag.toInt)) else None
    beat match {
      case None => entering.foreach(arrive(_, tuple.first))
      case Some(pace) =>
        entering.foreach(show(_, count))
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
      show(held, count)
      held.rows.foreach(slide.entered(_, arrival))
    } else {
      val touched = groupsOf(held)
      val fresh = touched.filterNot(group => groups.get(group).exists(!_.isEmpty)).toSet
      show(held, count)
      touched.foreach { group =>
        val row = held.rows.filter(row => groupOf(row) == group).last
        slide.group(row, arrival, groups(group).values, fresh(group))
      }
    }

  private def groupsOf(held: Held): Seq[UnsafeRow] =
    held.rows.iterator.map(row => groupOf(row).copy()).toSeq.distinct

  private def groupAt(key: UnsafeRow): GroupInSight = groups.getOrElse(
    key, {
      val group = made.make()
      groups.put(key.copy(), group)
      group
    })

  private def show(held: Held, at: Long): Unit = {
    place(held, at)
    if (!selects) held.rows.foreach(row => groupAt(groupOf(row)).add(at, row))
  }

  private def place(held: Held, at: Long): Unit = {
    held.shown = at
    inSight.put(at, held): Unit
  }

  private def hide(held: Held): Unit = if (held.shown >= 0) {
    inSight.remove(held.shown)
    if (!selects) groupsOf(held).foreach { key =>
      val group = groups(key)
      group.remove(held.shown)
      if (group.isForgotten) groups.remove(key)
    }
  }

  private def visible: Iterator[Held] = inSight.values.iterator.asScala

  private def tick(before: Long): Unit = next.filter(_ < before).foreach { at =>
    next = None
    evaluate(Evaluation(count, at, None))
  }

  private def evaluate(at: Evaluation): Unit =
    if (selects) visible.foreach(_.rows.foreach(jump.row(_, at)))
    else {
      if (groups.isEmpty && !grouped) jump.group(null, made.valuesOfNothing, at)
      groups.foreach { case (group, rows) => jump.group(group, rows.values, at) }
    }

  override def advance(watermark: Long): Unit = tick(watermark)
  override def isForgotten: Boolean = count == 0
  override def deadline: Option[Long] = next

  override def save(to: ByteWriter): Unit = {
    to.putLong(count)
    to.putByte(if (next.isDefined) 1 else 0)
    next.foreach(to.putLong)
    val all = substreams.valuesIterator.flatten.toArray.sortBy(_.number)
    to.putInt(all.length)
    all.foreach { held =>
      to.putLong(held.number)
      to.putLong(held.shown)
      to.putBytes(held.range.getBytes)
      to.putInt(held.rows.length)
      held.rows.foreach(row => to.putBytes(row.getBytes))
    }
    if (made.isLasting) {
      to.putInt(groups.size)
      groups.foreach { case (key, group) =>
        to.putBytes(key.getBytes)
        group.save(to)
      }
    }
  }

  override def load(from: ByteReader): Unit = {
    count = from.getLong
    next = if (from.getByte == 1) Some(from.getLong) else None
    (0 until from.getInt).foreach { _ =>
      val (number, shown) = (from.getLong, from.getLong)
      val range = RowCodec.read(from.getBytes, rangeFields)
      val rows = Array.fill(from.getInt)(RowCodec.read(from.getBytes, fields))
      val held = new Held(number, range, rows, -1)
      substreams.getOrElseUpdate(range, mutable.ArrayDeque.empty) += held
      if (shown >= 0) {
        place(held, shown)
        if (!selects) held.rows.foreach(row => groupAt(groupOf(row)).restore(shown, row))
      }
    }
    if (made.isLasting)
      (0 until from.getInt).foreach(_ => groupAt(RowCodec.read(from.getBytes, groupFields)).load(from))
  }
}
