package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.types.LongType
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.{Grid, Span}
import org.sparkcsql.plan.{PlaceColumns, Sliced}

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

  /**
   * The stream with each tuple moved to the end of its slice. A window that is not longer than its
   * frequency is one slice: a tuple is in one window at most. Where window and frequency lie on
   * different axes, the edges are known only with the points.
   */
  private[batch] def of(
      window: ResolvedWindow,
      placed: PlacedStream,
      points: Evaluations): Option[PlacedStream] =
    (window.extent, window.frequency.pace) match {
      case (Extent.Tuples(count, lag, _), Pace.EveryTuples(jump)) if !placed.scattered =>
        val (slice, entering) =
          if (count <= jump) (TickAtOrAfter(placed.number.get, Grid(0, jump), capped(lag)), 0L)
          else (TickAtOrAfter(placed.number.get, Grid(0, gcd(count, jump, lag))), capped(lag))
        Some(byNumber(placed, slice, entering, entering + capped(count)))
      case (Extent.Time(length, lag), Pace.Ticks(grid)) =>
        val edges =
          if (length <= grid.step)
            Grid(Math.floorMod(grid.origin, grid.step) - Math.floorMod(lag, grid.step), grid.step)
          else Grid(grid.origin, gcd(length, grid.step, lag))
        Some(byTime(placed, edges))
      case (Extent.Time(length, lag), Pace.EveryTuples(jump)) if points.substream.isEmpty =>
        val (sliced, end) =
          atPoints(placed, placed.stream.time.get.column, points.columns.time, lag, length, points)
        val enter = Alias(TickAtOrAfter(placed.number.get, Grid(0, jump)), "enter")()
        Some(placed.copy(
          stream = placed.stream.copy(plan = withColumns(sliced, Seq(enter))),
          place = PlaceColumns(Some(enter.toAttribute), None, Some(end))))
      case (Extent.Tuples(count, lag, _), _: Pace.Ticks) if !placed.scattered && points.substream.isEmpty =>
        val (sliced, end) = atPoints(placed, placed.number.get, points.columns.seq, lag, count, points)
        Some(byNumber(
          placed.copy(stream = placed.stream.copy(plan = sliced)),
          end,
          capped(lag),
          capped(lag) + capped(count)))
      case (_: Extent.Between, Pace.Ticks(grid)) => Some(byTime(placed, grid))
      case (_: Extent.Between, Pace.EveryTuples(jump)) =>
        val slice = Alias(TickAtOrAfter(placed.number.get, Grid(0, jump)), "slice")()
        Some(placed.copy(
          stream = placed.stream.copy(plan = withColumns(placed.stream.plan, Seq(slice))),
          place = PlaceColumns(Some(slice.toAttribute), None, None)))
      case _ => None
    }

  private def atPoints(
      placed: PlacedStream,
      place: Attribute,
      at: Option[Attribute],
      lag: Long,
      length: Long,
      points: Evaluations): (LogicalPlan, Attribute) = {
    val end = AttributeReference("end", LongType, nullable = false)()
    (Sliced(place, at.get, lag, length, end, placed.stream.plan, points.needed), end)
  }

  /** Tuples no window ever holds may have a number so far away that the sum wraps around. */
  private def byNumber(placed: PlacedStream, end: Expression, enter: Long, leave: Long): PlacedStream = {
    val slice = Alias(end, "slice")()
    def after(count: Long): Expression = Add(slice.toAttribute, long(count), EvalMode.LEGACY)
    val (entering, leaving) = (Alias(after(enter), "enter")(), Alias(after(leave), "leave")())
    val plan = withColumns(withColumns(placed.stream.plan, Seq(slice)), Seq(entering, leaving))
    placed.copy(
      stream = placed.stream.copy(plan = plan),
      place = PlaceColumns(Some(entering.toAttribute), Some(leaving.toAttribute), None))
  }

  /** No stream has that many tuples. */
  private def capped(count: Long): Long = math.min(count, Long.MaxValue / 4)

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
        Some(LessThan(
          TickAtOrAfter(number, Grid(0, jump), capped(lag)),
          Add(number, long(capped(lag) + capped(count)))))
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
