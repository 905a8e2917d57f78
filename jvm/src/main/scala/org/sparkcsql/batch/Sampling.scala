package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.sparkcsql.analyze.{OrderedStream, Pace, ResolvedFrequency}
import org.sparkcsql.plan.{Numbered, SharedRuns}

/** The frequency operator on tuples: every n-th, or the last of each slot, for each substream. */
private[batch] object Sampling {
  import Expressions._

  def apply(stream: OrderedStream, frequency: ResolvedFrequency): OrderedStream = frequency.pace match {
    case Pace.EachTuple => stream
    case Pace.EveryTuples(count) =>
      val (numbered, number) = Numbering(stream, frequency.partitionBy)
      sampled(stream, EqualTo(Remainder(number, long(count)), long(0)), numbered)
    case Pace.Ticks(grid) =>
      val slot = Alias(TickAtOrAfter(stream.time.get.column, grid), "slot")()
      val keys = frequency.partitionBy :+ slot.toAttribute
      val newestFirst = stream.order.columns.map(SortOrder(_, Descending))
      val frame = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, CurrentRow)
      val slotted = withColumns(stream.plan, Seq(slot))
      val (ranked, rank) = over(RowNumber(), keys, newestFirst, frame, "rank", slotted)
      sampled(stream, EqualTo(rank, Literal(1)), ranked)
  }

  private def sampled(stream: OrderedStream, condition: Expression, plan: LogicalPlan): OrderedStream =
    stream.copy(plan = Filter(condition, plan))
}

/** Gives each tuple its number in the stream, or in its substream. */
private[batch] object Numbering {
  def apply(stream: OrderedStream, keys: Seq[Attribute]): (LogicalPlan, Attribute) =
    if (keys.nonEmpty) Expressions.numberWithin(keys, stream.order.columns, stream.plan)
    else {
      val number =
        AttributeReference("number", org.apache.spark.sql.types.LongType, nullable = false)()
      (Numbered(stream.order.columns, stream.inArrivalOrder, number, new SharedRuns, stream.plan), number)
    }
}
