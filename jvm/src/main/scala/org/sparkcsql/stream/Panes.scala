package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.types.LongType
import org.sparkcsql.analyze._
import org.sparkcsql.batch._
import org.sparkcsql.kernel.{Beat, Slicing, Span}
import org.sparkcsql.plan._

/** Windows by time at ticks, over functions that merge in any order: rows are merged before they are shuffled. */
private[stream] object Panes {
  def apply(
      block: Block,
      stream: OrderedStream,
      window: ResolvedWindow,
      grouping: GroupedList,
      described: String): StreamWindow = {
    val (span, grid) = (window.extent, window.frequency.pace) match {
      case (Extent.Time(length, lag), Pace.Ticks(grid)) => (Span.Time(length, lag), grid)
      case other => throw new IllegalStateException(s"no window by time at ticks: $other")
    }
    val time = stream.time.get.column
    val slicing = Slicing.of(span, Beat.Ticks(grid)).times.get
    val slice = Alias(TickAtOrAfter(time, slicing), s"slice of ${time.name}")()
    val sliced = stream.copy(plan = Expressions.withColumns(stream.plan, Seq(slice)))
    val needed =
      Slices.everSeenAt(span, grid, time).fold(sliced)(c => sliced.copy(plan = Filter(c, sliced.plan)))
    val carried = Carrying.distinct(window.frequency.partitionBy :+ slice.toAttribute)
    // without GROUP BY, tuples that WHERE drops still make a tick evaluate
    val from =
      if (grouping.keys.nonEmpty) StreamFrom.passing(block, needed, window, carried)
      else StreamFrom.all(block, needed, window, carried)
    val functions = grouping.functions.map(f => f.copy(filter = FlaggedFrom.passing(from.passes, f.filter)))
    StreamWindow(
      program = StreamProgram.Panes(span, grid),
      clock = stream.clock,
      key = Carrying.distinct(window.frequency.partitionBy ++ grouping.keys),
      time = Some(slice.toAttribute),
      ties = Nil,
      batch = None,
      rowOrder = Nil,
      passes = None,
      inside = None,
      ownTime = Some(time),
      rangeKey = Nil,
      grouping = grouping.keys,
      functions = functions,
      values = grouping.values,
      added = Seq(AttributeReference("tick", LongType, nullable = false)()),
      described = described,
      child = from.withColumns(grouping.computed).plan
    )
  }
}
