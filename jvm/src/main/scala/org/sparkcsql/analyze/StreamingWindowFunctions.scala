package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.{Instants, Span}
import org.sparkcsql.plan._
import org.sparkcsql.stream.StreamLowering

/**
 * Spark's own window functions over a stream that has not ended. Spark refuses them; those that look
 * back from a row in the order of the event time have an answer as soon as the row is complete.
 */
object StreamingWindowFunctions extends Rule[LogicalPlan] {
  private val MicrosOfDay = 86400000000L

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case window: Window if window.resolved && window.child.isStreaming => lowered(window)
  }

  private def lowered(window: Window): LogicalPlan = {
    val at = window.windowExpressions.headOption.fold(window.origin)(_.origin)
    val (keys, child) = partitioned(window)
    val time = window.orderSpec.headOption match {
      case Some(SortOrder(column: Attribute, Ascending, _, _))
          if StreamOrders.eventTime(child).exists(_.exprId == column.exprId) =>
        column
      case _ =>
        refuse(at, "A window function over a stream needs ORDER BY its event time, ascending.")
    }
    val rest = window.orderSpec.tail.map {
      case SortOrder(column: Attribute, Ascending, nulls, _) if nulls == NullsFirst || !column.nullable =>
        column
      case other =>
        refuse(
          at,
          s"ORDER BY ${other.sql} cannot break ties on a stream; order by columns, ascending, NULLs first.")
    }
    ComparedByBytes.require(rest, at)
    val stream = StreamOrders.of(child, Some(ColumnName(Seq(time.name), at)))
    val calls = window.windowExpressions.map(call(_, stream.time.get.dataType))
    val frames = calls.map(_.frame).distinct
    val functions = frames.map(frame => calls.filter(_.frame == frame).flatMap(_.functions))
    val values = functions.map(_.map(f => f -> AttributeReference("value", f.dataType, f.nullable)()))
    val program = StreamProgram.Over(frames.zip(functions).map { case ((span, peers), of) =>
      OverFrame(span, peers, of.size)
    })
    val node = StreamLowering.over(stream, program, keys, rest, functions.flatten, values.flatten.map(_._2))
    val valueOf = values.flatten.toMap[WindowedFunction, Attribute]
    // with the watermark's mark on the time, for window functions over these
    val rows = window.child.output.map(c => node.output.find(_.exprId == c.exprId).getOrElse(c))
    Project(rows ++ calls.map(_.result(valueOf)), node)
  }

  /** Partition expressions that are no columns become columns first. */
  private def partitioned(window: Window): (Seq[Attribute], LogicalPlan) = {
    ComparedByBytes.require(window.partitionSpec, window.origin)
    val named = window.partitionSpec.map(ComparedByBytes.normalized).map {
      case column: Attribute => (column, None)
      case expression =>
        val alias = Alias(expression, "partition")()
        (alias.toAttribute, Some(alias))
    }
    val computed = named.flatMap(_._2)
    (
      named.map(_._1),
      if (computed.isEmpty) window.child else Project(window.child.output ++ computed, window.child))
  }

  /**
   * One call in the SELECT list.
   *
   * @param result its value, given the values of the functions it was taken apart into
   */
  private final case class Call(
      frame: (Span, Boolean),
      functions: Seq[WindowedFunction],
      result: (WindowedFunction => Attribute) => NamedExpression)

  private def call(item: NamedExpression, timeType: DataType): Call = item match {
    case alias @ Alias(
          WindowExpression(function, WindowSpecDefinition(_, _, frame: SpecifiedWindowFrame)),
          name) =>
      def named(value: Expression) = Alias(value, name)(alias.exprId, alias.qualifier, alias.explicitMetadata)
      function match {
        case aggregate: AggregateExpression if !aggregate.isDistinct =>
          val own = WindowedFunction(aggregate)
          Call(span(frame, timeType, alias.origin), Seq(own), valueOf => named(valueOf(own)))
        case lag: Lag => lagged(lag, named, alias.origin)
        case nth: NthValue =>
          val own = windowed(nth)
          Call(span(frame, timeType, alias.origin), Seq(own), valueOf => named(valueOf(own)))
        case ranking @ (_: RowNumber | _: Rank | _: DenseRank) =>
          val own = windowed(ranking.asInstanceOf[AggregateFunction])
          Call((Span.Endless, false), Seq(own), valueOf => named(valueOf(own)))
        case aggregate: AggregateExpression =>
          refuse(alias.origin, s"${aggregate.sql} would have to remember all values.")
        case other => refuse(alias.origin, s"${other.prettyName} looks beyond the rows that have come.")
      }
    case other => refuse(other.origin, s"The window function ${other.sql} is not known on streams.")
  }

  private def windowed(function: AggregateFunction): WindowedFunction =
    WindowedFunction(AggregateExpression(function, Complete, isDistinct = false))

  /**
   * The row so many rows before, or the default: a frame of that one row, and whether there is one. The last
   * value that is not NULL is that of all rows before.
   */
  private def lagged(lag: Lag, named: Expression => Alias, at: Origin): Call = {
    val distance = lag.inputOffset.eval() match {
      case back: Int if back >= 0 => back.toLong
      case _ => refuse(at, "lag with a negative distance looks beyond the rows that have come.")
    }
    if (lag.ignoreNulls && distance != 1)
      refuse(at, s"lag by $distance rows with IGNORE NULLS would have to remember all values; by 1 it runs.")
    val value = windowed(Last(lag.input, lag.ignoreNulls))
    val there = windowed(Count(if (lag.ignoreNulls) lag.input else Literal(1)))
    Call(
      (if (lag.ignoreNulls) Span.AllButTuples(distance) else Span.Tuples(1, distance), false),
      Seq(value, there),
      valueOf =>
        named(If(GreaterThan(valueOf(there), Literal(0L)), valueOf(value), Cast(lag.default, lag.dataType)))
    )
  }

  private def span(frame: SpecifiedWindowFrame, timeType: DataType, at: Origin): (Span, Boolean) = {
    val byRange = frame.frameType == RangeFrame
    def back(bound: Expression): Option[Long] = bound match {
      case CurrentRow => Some(0)
      case UnboundedPreceding => None
      case offset if offset.foldable =>
        val distance = if (byRange) distanceInTime(offset, timeType, at) else -offset.eval().toString.toLong
        if (distance < 0)
          refuse(at, "A frame that ends after the current row looks beyond the rows that have come.")
        Some(distance)
      case _ => refuse(at, "A frame that ends after the current row looks beyond the rows that have come.")
    }
    val (from, to) = (back(frame.lower), back(frame.upper))
    val end = to.getOrElse(refuse(at, "The frame is empty."))
    if (from.exists(_ < end)) refuse(at, "The frame is empty.")
    val reaches = from match {
      case None if end == 0 => Span.Endless
      case None => if (byRange) Span.AllButTime(end) else Span.AllButTuples(end)
      case Some(start) =>
        val length = Instants.plus(start - end, 1)
        if (byRange) Span.Time(length, end) else Span.Tuples(length, end)
    }
    (reaches, byRange)
  }

  /** How far back an offset of a RANGE frame, which is negative, reaches on the axis of the time. */
  private def distanceInTime(offset: Expression, timeType: DataType, at: Origin): Long =
    (offset.eval(), offset.dataType, timeType) match {
      case (days: Int, IntegerType, DateType) => -days.toLong
      case (micros: Long, _: DayTimeIntervalType, TimestampType | TimestampNTZType) => -micros
      case (micros: Long, _: DayTimeIntervalType, DateType) if micros % MicrosOfDay == 0 =>
        -micros / MicrosOfDay
      case (calendar: org.apache.spark.unsafe.types.CalendarInterval, _, TimestampType | TimestampNTZType)
          if calendar.months == 0 =>
        -Math.addExact(Math.multiplyExact(calendar.days.toLong, MicrosOfDay), calendar.microseconds)
      case (number: Number, _, _) if TimeAxis.isInteger(timeType) => -number.longValue
      case _ =>
        refuse(at, s"The distance ${offset.sql} has no fixed length on a column of type ${timeType.sql}.")
    }

  private def refuse(at: Origin, reason: String): Nothing =
    CsqlErrors.analysis("CSQL_STREAM_OVER", at, "reason" -> reason)
}
