package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete, Last}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.IntegerType
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.{Grid, Instants}
import org.sparkcsql.plan.{PlaceColumns, StreamTime}

/**
 * For each tuple, the arrival at which a sliding window first shows it: the tuple's own, or a later
 * one when the window lags behind.
 *
 * @param time the time of that arrival
 * @param ties what tells arrivals of equal time apart
 * @param own whether each tuple has an arrival of its own
 * @param place where a lagging tuple stands on the sequence axis, which the shown stream no longer tells
 */
private[batch] final case class Arrivals(
    stream: OrderedStream,
    time: Option[StreamTime],
    ties: Seq[Attribute],
    own: Boolean,
    place: Option[PlaceColumns] = None) {
  def columns: Seq[Attribute] = time.map(_.column).toSeq ++ ties
}

private[batch] object Arrivals {
  import Expressions._

  private val everyInstant = Grid(0, 1)

  def apply(stream: OrderedStream, window: ResolvedWindow): Arrivals = window.extent match {
    case Extent.Tuples(count, lag, partitionBy) if lag > 0 =>
      laggingByTuples(stream, window.frequency.partitionBy, partitionBy, lag, Instants.plus(lag, count))
    case Extent.Time(length, lag) if lag > 0 =>
      laggingByTime(stream, window.frequency.partitionBy, lag, length)
    case _ => Arrivals(stream, stream.time, stream.order.ties, own = true)
  }

  /** The tuple `lag` tuples later in the same substream; a tuple that none follows so far is never shown. */
  private def laggingByTuples(
      stream: OrderedStream,
      substream: Seq[Attribute],
      partitionBy: Seq[Attribute],
      lag: Long,
      life: Long): Arrivals = {
    val order = stream.order.columns
    val keys = Carrying.distinct(substream ++ partitionBy)
    val (placed, number) = Numbering(stream, substream)
    val (numbered, own, place) =
      if (keys.size == substream.size) {
        val (plan, columns) = Placement.counted(placed, number, lag, life)
        (plan, number, columns)
      } else {
        val (plan, columns) = Placement.pushedOut(placed, number, lag, life, keys, order)
        val (counting, count) = numberWithin(keys, order, plan)
        (counting, count, columns)
      }
    val later = copies(order)
    val (laterKeys, laterNumber) = (copies(keys), Alias(own, "later")())
    val arriving = Project(later ++ laterKeys :+ laterNumber, numbered)
    val sameSubstream = keys.zip(laterKeys).map { case (key, copy) => EqualNullSafe(key, copy.toAttribute) }
    val condition =
      (EqualTo(Add(own, long(math.min(lag, Long.MaxValue / 2))), laterNumber.toAttribute) +: sameSubstream)
        .reduce[Expression](And(_, _))
    val joined = Join(numbered, arriving, Inner, Some(condition), JoinHint.NONE)
    val shown = Project(stream.plan.output ++ place.attributes ++ later.map(_.toAttribute), joined)
    delayed(stream, shown, later.map(_.toAttribute)).copy(place = Some(place))
  }

  /**
   * The first tuple at least `lag` later. Both kinds of rows are put into one order, arrivals after
   * the tuples that they show, and read backwards: the last arrival seen is the next one in time.
   */
  private def laggingByTime(
      stream: OrderedStream,
      keys: Seq[Attribute],
      lag: Long,
      length: Long): Arrivals = {
    val order = stream.order.columns
    val time = stream.time.get.column
    val instant = Alias(TickAtOrAfter(time, everyInstant, lag), "instant")()
    val isArrival = Alias(Literal(0, IntegerType), "arrival")()
    val nothing = order.map(c => Alias(Literal(null, c.dataType), c.name)())
    val shown = Project(stream.plan.output ++ (instant +: isArrival +: nothing), stream.plan)
    val arrivals = Project(
      stream.plan.output.map(c =>
        Alias(if (keys.exists(_.exprId == c.exprId)) c else Literal(null, c.dataType), c.name)()) ++
        (Alias(time, "instant")() +: Alias(Literal(1, IntegerType), "arrival")() +: copies(order)),
      stream.plan
    )
    val merged = Union(Seq(shown, arrivals))
    val output = merged.output
    val width = stream.plan.output.size
    val (mergedInstant, kind, arrivalOrder) = (output(width), output(width + 1), output.drop(width + 2))
    def inMerged(column: Attribute): Attribute =
      output(stream.plan.output.indexWhere(_.exprId == column.exprId))
    val backwards = (Seq(mergedInstant, kind) ++ arrivalOrder).map(SortOrder(_, Descending))
    val frame = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, CurrentRow)
    val packed = CreateNamedStruct(arrivalOrder.zipWithIndex.flatMap { case (c, i) =>
      Seq(Literal(s"c$i"), c)
    })
    val value = If(EqualTo(kind, Literal(1)), packed, Literal(null, packed.dataType))
    val last = AggregateExpression(Last(value, ignoreNulls = true), Complete, isDistinct = false)
    val (found, next) = over(last, keys.map(inMerged), backwards, frame, "next", merged)
    val later = order.indices.map(i => Alias(GetStructField(next, i), order(i).name)())
    // Back to the stream's own columns, whose identities the rest of the block refers to.
    val restored = stream.plan.output.zip(output).map { case (own, m) =>
      Alias(m, own.name)(exprId = own.exprId)
    }
    val seen = Filter(And(EqualTo(kind, Literal(0)), IsNotNull(next)), found)
    val delayedPlan = Project(restored ++ later, seen)
    val columns = later.map(_.toAttribute)
    val stillThere = LessThanOrEqual(columns.head, LastTickSeeing(time, everyInstant, lag, length))
    delayed(stream, Filter(stillThere, delayedPlan), columns)
  }

  private def delayed(stream: OrderedStream, plan: LogicalPlan, columns: Seq[Attribute]): Arrivals = {
    val time = stream.time.map(t => StreamTime(columns.head, t.dataType))
    val ties = if (time.isDefined) columns.tail else columns
    Arrivals(stream.copy(plan = plan, inArrivalOrder = false), time, ties, own = false)
  }
}
