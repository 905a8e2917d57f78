package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.{Grid, Span}
import org.sparkcsql.plan.PlaceColumns

/**
 * Where window and frequency are counted on one axis, all window edges lie on a grid. Tuples between
 * two edges are then always in the same windows and can be merged before anything is sorted.
 */
private[sparkcsql] object Slices {
  import Expressions._

  /** Whether Spark's hash aggregation can make the partial results, in any order. */
  def fit(grouping: GroupedList, substream: Seq[Attribute]): Boolean = {
    val functions = grouping.functions.map(_.toSpark)
    functions.forall(WindowAggregates.orderless) && Aggregate.supportsHashAggregate(
      functions.flatMap(_.aggregateFunction.aggBufferAttributes),
      substream ++ grouping.keys)
  }

  /** The stream with each tuple moved to the end of its slice; none when the edges lie on no grid. */
  def of(window: ResolvedWindow, placed: PlacedStream): Option[PlacedStream] =
    (window.extent, window.frequency.pace) match {
      case (Extent.Tuples(count, lag, _), Pace.EveryTuples(jump)) if !placed.scattered =>
        val slice = Alias(TickAtOrAfter(placed.number.get, Grid(0, gcd(count, jump, lag))), "slice")()
        val stream = withColumns(placed.stream.plan, Seq(slice))
        val enter = Alias(Add(slice.toAttribute, long(lag)), "enter")()
        val leave = Alias(Add(slice.toAttribute, long(Math.addExact(lag, count))), "leave")()
        Some(placed.copy(
          stream = placed.stream.copy(plan = withColumns(stream, Seq(enter, leave))),
          place = PlaceColumns(Some(enter.toAttribute), Some(leave.toAttribute), None)))
      case (Extent.Time(length, lag), Pace.Ticks(grid)) =>
        Some(byTime(placed, Grid(grid.origin, gcd(length, grid.step, lag))))
      case (_: Extent.Between, Pace.Ticks(grid)) => Some(byTime(placed, grid))
      case (_: Extent.Between, Pace.EveryTuples(jump)) =>
        val slice = Alias(TickAtOrAfter(placed.number.get, Grid(0, jump)), "slice")()
        Some(placed.copy(
          stream = placed.stream.copy(plan = withColumns(placed.stream.plan, Seq(slice))),
          place = PlaceColumns(Some(slice.toAttribute), None, None)))
      case _ => None
    }

  private def byTime(placed: PlacedStream, edges: Grid): PlacedStream = {
    val slice = Alias(TickAtOrAfter(placed.stream.time.get.column, edges), "slice")()
    placed.copy(
      stream = placed.stream.copy(plan = withColumns(placed.stream.plan, Seq(slice))),
      place = PlaceColumns(None, None, Some(slice.toAttribute)))
  }

  private def gcd(a: Long, b: Long, c: Long): Long = {
    @scala.annotation.tailrec
    def of(x: Long, y: Long): Long = if (y == 0) x else of(y, x % y)
    of(of(a, b), c)
  }

  /** A frequency longer than its window: the condition that some window ever holds the tuple. */
  def everSeen(window: ResolvedWindow, placed: PlacedStream): Option[Expression] =
    (window.extent, window.frequency.pace) match {
      case (Extent.Tuples(count, lag, _), Pace.EveryTuples(jump)) if !placed.scattered && count < jump =>
        val number = placed.number.get
        Some(LessThanOrEqual(
          TickAtOrAfter(number, Grid(0, jump), lag),
          LastTickSeeing(number, Grid(0, jump), lag, count)))
      case (Extent.Time(length, lag), Pace.Ticks(grid)) =>
        everSeenAt(Span.Time(length, lag), grid, placed.stream.time.get.column)
      case _ => None
    }

  def everSeenAt(span: Span.Time, grid: Grid, time: Attribute): Option[Expression] =
    if (span.length >= grid.step) None
    else Some(LessThanOrEqual(
      TickAtOrAfter(time, grid, span.lag),
      LastTickSeeing(time, grid, span.lag, span.length)))
}
