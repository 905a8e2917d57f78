package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Complete,
  Max
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.Grid
import org.sparkcsql.plan.{PointColumns, StreamTime}

/**
 * The points at which a jumping block evaluates, computed from the stream before WHERE.
 *
 * @param substream the columns of a partitioned frequency
 * @param evaluation what orders the points, beside their time
 */
private[batch] final case class Evaluations(
    plan: LogicalPlan,
    columns: PointColumns,
    substream: Seq[Attribute],
    time: Option[StreamTime],
    evaluation: Seq[Attribute]) {

  /** The points without what only orders their answers. */
  def needed: LogicalPlan = Project(plan.output.filter(AttributeSet(columns.attributes).contains), plan)
}

private[batch] object Evaluations {
  import Expressions._

  def apply(window: ResolvedWindow, placed: PlacedStream): Evaluations = window.frequency.pace match {
    case Pace.Ticks(grid) => ticks(window, placed, grid)
    case Pace.EveryTuples(count) => everyTuples(window, placed, count)
    case Pace.EachTuple => throw new IllegalStateException("a sliding window has no points of its own")
  }

  /** Every n-th tuple of the stream, or of its substream. */
  private def everyTuples(window: ResolvedWindow, placed: PlacedStream, count: Long): Evaluations = {
    val number = placed.number.get
    val order = placed.stream.order
    val (keys, columns) = (copies(window.frequency.partitionBy), copies(order.columns))
    val at = Alias(number, "at")()
    val jumping = Filter(EveryNth(number, count), placed.stream.plan)
    val time = order.time.map(t => StreamTime(columns.head.toAttribute, t.dataType))
    val seenByTime = window.extent match {
      case _: Extent.Tuples => None
      case _ => time.map(_.column)
    }
    Evaluations(
      Project(keys ++ columns :+ at, jumping),
      PointColumns(Some(at.toAttribute), seenByTime, None, 0),
      keys.map(_.toAttribute),
      time,
      // numbers of substreams are numbers of different sequences
      if (keys.isEmpty) Seq(at.toAttribute) else columns.drop(time.size).map(_.toAttribute)
    )
  }

  /** The ticks at which the window is not empty, or, if it never empties by itself, has changed. */
  private def ticks(window: ResolvedWindow, placed: PlacedStream, grid: Grid): Evaluations = {
    val streamTime = placed.stream.time.get
    val keys = copies(window.frequency.partitionBy)
    val lag = window.extent match {
      case Extent.Time(_, lag) => lag
      case _ => 0L
    }
    val tick = Alias(TickAtOrAfter(streamTime.column, grid, lag), "tick")()
    val changing = Placement.bounded(window.extent, placed.stream.plan, placed.stream)
    val slots =
      Project(keys ++ (tick +: streamTime.column +: (placed.number ++ placed.changing).toSeq), changing)
    val newest = Alias(max(streamTime.column), "newest")()
    val number = placed.number.map(n => Alias(max(n), "at")())
    val groups = keys.map(_.toAttribute) :+ tick.toAttribute
    val change = placed.changing.map(c => Alias(max(c), "change")())
    val perSlot = Aggregate(groups, groups ++ (newest +: (number ++ change).toSeq), slots)
    val last = window.extent match {
      case Extent.Time(length, lag) => Alias(LastTickSeeing(newest.toAttribute, grid, lag, length), "last")()
      case _ => Alias(tick.toAttribute, "last")()
    }
    val notEmpty = window.extent match {
      case Extent.Tuples(_, lag, _) if lag > 0 =>
        Filter(GreaterThan(change.orElse(number).get.toAttribute, long(lag)), perSlot)
      case _ => perSlot
    }
    Evaluations(
      withColumns(notEmpty, Seq(last)),
      PointColumns(number.map(_.toAttribute), Some(tick.toAttribute), Some(last.toAttribute), grid.step),
      keys.map(_.toAttribute),
      Some(StreamTime(tick.toAttribute, streamTime.dataType)),
      keys.map(_.toAttribute)
    )
  }

  private def max(column: Attribute): AggregateExpression = {
    val function: AggregateFunction = Max(column)
    AggregateExpression(function, Complete, isDistinct = false)
  }
}
