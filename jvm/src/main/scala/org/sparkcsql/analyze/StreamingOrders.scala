package org.sparkcsql.analyze

import java.util.{Locale, UUID}
import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** The order of a stream that has not ended: with it comes a clock, which tells when tuples are complete. */
object StreamingOrders {

  /** Marks a column that holds the event time of an answer, also in types that Spark's own mark does not fit. */
  val EventTime = "csql.eventTime"

  def ordered(
      relation: LogicalPlan,
      time: Option[Attribute],
      ties: Seq[Attribute],
      slack: Option[String]): OrderedStream = time match {
    case None => numbered(relation, relation.output, None, ties, StreamClock.Arrival)
    case Some(column) =>
      val (watermarked, eventTime) = watermark(StreamOrders.timed(relation, time), column, slack)
      val clock = StreamClock.Watermark(ClockUnit.of(column.dataType), shortened(watermarked))
      // named after the column, so that a query that is ordered by another one is another query
      val number = Alias(StreamOrders.timeNumber(column), s"time ${column.name.toLowerCase(Locale.ROOT)}")()
      val output = relation.output.map(c => eventTime.filter(_.exprId == c.exprId).getOrElse(c))
      numbered(watermarked, output, Some((number, column.dataType)), ties, clock)
        .copy(slackByDefault = slack.isEmpty && !hasWatermark(relation))
  }

  /** `ORDER BY current_time`: all tuples of a micro-batch get the time at which it began. */
  def internal(relation: LogicalPlan, ties: Seq[Attribute]): OrderedStream = {
    val stamp = RequireTime(TimeAxis.toNumber(CurrentTimestamp()), "current_time")
    val number = Alias(stamp, "time")()
    numbered(relation, relation.output, Some((number, TimestampType)), ties, StreamClock.Internal)
  }

  private def numbered(
      plan: LogicalPlan,
      output: Seq[Attribute],
      time: Option[(Alias, DataType)],
      ties: Seq[Attribute],
      clock: StreamClock): OrderedStream = {
    val (batch, arrival) = (Alias(ArrivalBatch(), "batch")(), Alias(ArrivalNumber(), "arrival")())
    OrderedStream(
      Project(output ++ time.map(_._1) ++ Seq(batch, arrival), plan),
      StreamOrder(
        time.map { case (number, of) => StreamTime(number.toAttribute, of) },
        ties ++ Seq(batch.toAttribute, arrival.toAttribute)),
      clock = clock,
      batch = Some(batch.toAttribute)
    )
  }

  /** The relation with a watermark on its time, and the column that carries it, if it is one of the relation's. */
  private def watermark(
      relation: LogicalPlan,
      column: Attribute,
      slack: Option[String]): (LogicalPlan, Option[Attribute]) =
    if (isEventTime(relation, column)) {
      (slack.fold(relation)(waiting(relation, column, _)), None)
    } else if (hasWatermark(relation)) {
      val marked = relation.output.filter(_.metadata.contains(EventTimeWatermark.delayKey)).map(_.name)
      CsqlErrors.analysis(
        "CSQL_TIME_NOT_WATERMARKED",
        relation.origin,
        "column" -> column.name,
        "watermarked" -> (if (marked.isEmpty) "none of its columns" else marked.mkString(", "))
      )
    } else {
      val delay = interval(slack.fold(0L)(Slack.micros(_, column)))
      column.dataType match {
        case TimestampType =>
          val marked = EventTimeWatermark(UUID.randomUUID(), column, delay, relation)
          (marked, marked.output.find(_.exprId == column.exprId))
        case other =>
          val event = Alias(asTimestamp(column, other), "event time")()
          val timed = Project(relation.output :+ event, relation)
          (EventTimeWatermark(UUID.randomUUID(), event.toAttribute, delay, timed), None)
      }
    }

  /** Whether the watermark tells about a column; views and renamings do not keep its mark, so it is looked for below. */
  private def isEventTime(plan: LogicalPlan, column: Attribute): Boolean = {
    def marked(metadata: Metadata) =
      metadata.contains(EventTimeWatermark.delayKey) || metadata.contains(EventTime)
    plan match {
      case Project(list, child) =>
        list.find(_.exprId == column.exprId).exists {
          case alias: Alias if alias.explicitMetadata.exists(marked) => true
          case item => renamed(list, column).fold(marked(item.metadata))(isEventTime(child, _))
        }
      case _: View | _: SubqueryAlias | _: Filter | _: ResolvedHint | _: DropNullTimes =>
        isEventTime(plan.children.head, column)
      case answer: ContinuousAnswer if answer.child.isInstanceOf[Union] => isEventTime(answer.child, column)
      case answer: ContinuousAnswer if answer.time.exists(isMadeOf(_, column, answer.child)) => true
      // the mark on its column is that of the first side alone
      case union: Union =>
        union.children.forall(side => inSide(union, side, column).exists(isEventTime(side, _)))
      case _ => plan.output.exists(c => c.exprId == column.exprId && marked(c.metadata))
    }
  }

  /**
   * Whether the time of an answer is a column of it: then its tuples are those that arrive. Other answers
   * hold older tuples too, whose times the watermark does not tell about.
   */
  private def isMadeOf(time: Attribute, column: Attribute, plan: LogicalPlan): Boolean = plan match {
    case Project(list, child) =>
      list.collectFirst { case made: Alias if made.exprId == time.exprId => made } match {
        case Some(made) => made.references.contains(column)
        case None => renamed(list, column).exists(isMadeOf(time, _, child))
      }
    case other => other.children.exists(isMadeOf(time, column, _))
  }

  /** The column of one side of a union that is a column of the union. */
  private def inSide(union: Union, side: LogicalPlan, column: Attribute): Option[Attribute] =
    side.output.lift(union.output.indexWhere(_.exprId == column.exprId))

  private def hasWatermark(relation: LogicalPlan): Boolean = relation.exists {
    case _: EventTimeWatermark | _: StreamWindow => true
    case _ => false
  }

  /** A declared slack goes before the delay that the stream was given elsewhere. */
  private def waiting(relation: LogicalPlan, column: Attribute, slack: String): LogicalPlan = {
    val delay = Slack.micros(slack, column)
    var isDelayed = false
    def delayed(plan: LogicalPlan, column: Attribute): LogicalPlan = plan match {
      case node: EventTimeWatermark if node.eventTime.exprId == column.exprId =>
        isDelayed = true
        node.copy(delay = interval(delay))
      case Project(list, child) =>
        renamed(list, column).fold(plan)(inner => plan.withNewChildren(Seq(delayed(child, inner))))
      case union: Union =>
        union.withNewChildren(union.children.map(side =>
          inSide(union, side, column).fold(side)(delayed(side, _))))
      case other => other.mapChildren(delayed(_, column))
    }
    val found = delayed(relation, column)
    if (delay > 0 && !isDelayed)
      CsqlErrors.analysis(
        "CSQL_SLACK_UNUSED",
        relation.origin,
        "reason" -> s"the watermark of ${column.name} is made by an operator below, which has waited already")
    found
  }

  /** The column below a SELECT list that a column of it is, under another name perhaps; views cast it to its type. */
  private def renamed(list: Seq[NamedExpression], column: Attribute): Option[Attribute] = {
    @scala.annotation.tailrec
    def bare(expression: Expression): Option[Attribute] = expression match {
      case attribute: Attribute => Some(attribute)
      case alias: Alias => bare(alias.child)
      case cast: Cast if cast.child.dataType == cast.dataType => bare(cast.child)
      case upCast: UpCast => bare(upCast.child)
      case _ => None
    }
    list.find(_.exprId == column.exprId).flatMap(bare)
  }

  private def interval(micros: Long): CalendarInterval = new CalendarInterval(0, 0, micros)

  /** Spark's watermarks are timestamps: see ClockUnit. */
  private def asTimestamp(column: Attribute, dataType: DataType): Expression = {
    val number = TimeAxis.toNumber(column)
    def times(factor: Long, zero: Long): Expression = {
      val fits = WithinWatermark(number, Long.MaxValue / factor - zero)
      Multiply(Add(fits, Literal(zero), EvalMode.ANSI), Literal(factor), EvalMode.ANSI)
    }
    val micros = dataType match {
      case TimestampNTZType => number
      case DateType => times(86400000000L, zero = 0)
      case _ => times(1000L, ClockUnit.Counter.Zero)
    }
    PreciseTimestampConversion(micros, LongType, TimestampType)
  }

  /**
   * Whether every operator below announces its watermark one millisecond short, as ours do: then
   * that millisecond is added again. Spark's own operators hold back what they announce.
   */
  def shortened(plan: LogicalPlan): Boolean = plan match {
    case _: StreamWindow => true
    case _: EventTimeWatermark | _: LeafNode | _: Aggregate | _: Distinct => false
    case _: FlatMapGroupsWithState | _: Deduplicate | _: DeduplicateWithinWatermark => false
    case join: Join if join.children.forall(_.isStreaming) => false
    case other =>
      val streams = other.children.filter(_.isStreaming)
      streams.nonEmpty && streams.forall(shortened)
  }
}

/** How long a stream waits for tuples that are out of order, as its declaration keeps it. */
object Slack {
  def micros(slack: String, column: Attribute): Long = slack.trim.split("\\s+") match {
    case Array(count) if TimeAxis.isInteger(column.dataType) => Math.multiplyExact(count.toLong, 1000L)
    case Array(count) if count.toLong == 0 => 0
    case Array(_, _) if !TimeAxis.isInteger(column.dataType) =>
      val interval = IntervalUtils.stringToInterval(UTF8String.fromString(slack))
      // watermarks are whole milliseconds
      Math.addExact(IntervalUtils.getDuration(interval, TimeUnit.MICROSECONDS), 999L) / 1000 * 1000
    case _ =>
      CsqlErrors.analysis(
        "CSQL_UNIT_UNFIT",
        column.origin,
        "part" -> "SLACK",
        "type" -> column.dataType.sql,
        "hint" -> "Declare the stream with a slack that its time column can measure."
      )
  }
}
