package org.sparkcsql.batch

import java.util.{Arrays, HashMap}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.kernel.{ListedPoints, Place, Points, Stretch, TickPoints}
import org.sparkcsql.plan.{PlaceColumns, PointColumns}

/** The evaluation points of one substream: what the kernel needs, and the whole row of each. */
final class PointGroup(val points: Points, val row: Int => InternalRow)

/** The evaluation points of a block, by substream. */
final class PointTable(groups: HashMap[UnsafeRow, PointGroup]) {
  def apply(substream: UnsafeRow): PointGroup = groups.getOrDefault(substream, PointTable.none)
  def substreams: java.util.Set[UnsafeRow] = groups.keySet
}

object PointTable {
  private val none =
    new PointGroup(new ListedPoints(Array.empty, Array.empty), _ => throw new NoSuchElementException)

  def build(
      rows: Iterator[InternalRow],
      output: Seq[Attribute],
      substream: Seq[Attribute],
      columns: PointColumns): PointTable = {
    val key = UnsafeProjection.create(substream, output)
    val reader = new PointReader(columns, output)
    val bySubstream = new HashMap[UnsafeRow, ArrayBuffer[InternalRow]]
    rows.foreach { row =>
      val values = key(row)
      var bucket = bySubstream.get(values)
      if (bucket == null) {
        bucket = new ArrayBuffer[InternalRow]
        bySubstream.put(values.copy(), bucket)
      }
      bucket += row.copy()
    }
    val groups = new HashMap[UnsafeRow, PointGroup]
    bySubstream.forEach((values, bucket) => groups.put(values, reader.group(bucket)))
    new PointTable(groups)
  }
}

private final class PointReader(columns: PointColumns, output: Seq[Attribute]) {
  private val seqOrdinal = Ordinals.of(columns.seq, output)
  private val timeOrdinal = Ordinals.of(columns.time, output)
  private val lastOrdinal = Ordinals.of(columns.lastTick, output)

  private def seq(row: InternalRow): Long = if (seqOrdinal < 0) Points.AfterAll else row.getLong(seqOrdinal)
  private def time(row: InternalRow): Long = if (timeOrdinal < 0) Long.MaxValue else row.getLong(timeOrdinal)

  def group(bucket: ArrayBuffer[InternalRow]): PointGroup = {
    val rows = bucket.toArray
    Arrays.sort(
      rows,
      (a: InternalRow, b: InternalRow) => {
        val byTime = java.lang.Long.compare(time(a), time(b))
        if (byTime != 0) byTime else java.lang.Long.compare(seq(a), seq(b))
      })
    if (lastOrdinal < 0) new PointGroup(new ListedPoints(rows.map(seq), rows.map(time)), rows(_))
    else ticks(rows)
  }

  /** Each row stands for the ticks from its time to its last tick; rows may overlap. */
  private def ticks(rows: Array[InternalRow]): PointGroup = {
    val (sources, stretches) = (new ArrayBuffer[InternalRow], new ArrayBuffer[Stretch])
    rows.foreach { row =>
      val previous = stretches.lastOption.map(_.last)
      val first = previous.filter(time(row) <= _).fold(Option(time(row)))(after)
      val last = row.getLong(lastOrdinal)
      first.filter(_ <= last).foreach { begin =>
        sources += row
        stretches += Stretch(seq(row), begin, last - (last - begin) % columns.step)
      }
    }
    val points = new TickPoints(stretches.toArray, columns.step)
    new PointGroup(
      points,
      point => {
        val row = sources(points.stretchOf(point)).copy()
        row.setLong(timeOrdinal, points.time(point))
        row
      })
  }

  private def after(tick: Long): Option[Long] =
    if (tick > Long.MaxValue - columns.step) None else Some(tick + columns.step)
}

/** Reads a tuple's place from its row. */
private[batch] final class PlaceReader(columns: PlaceColumns, output: Seq[Attribute]) {
  private val enterOrdinal = Ordinals.of(columns.enter, output)
  private val leaveOrdinal = Ordinals.of(columns.leave, output)
  private val timeOrdinal = Ordinals.of(columns.time, output)

  def apply(row: InternalRow): Place = Place(
    enter = if (enterOrdinal < 0) Long.MinValue else row.getLong(enterOrdinal),
    leave = if (leaveOrdinal < 0) Long.MaxValue else row.getLong(leaveOrdinal),
    time = if (timeOrdinal < 0) Long.MinValue else row.getLong(timeOrdinal)
  )
}

private[batch] object Ordinals {
  def of(attribute: Option[Attribute], output: Seq[Attribute]): Int =
    attribute.fold(-1)(a => output.indexWhere(_.exprId == a.exprId))
}
