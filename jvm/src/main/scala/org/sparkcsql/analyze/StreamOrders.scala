package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.CsqlConf
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/**
 * A relation whose rows have an order, in columns of the plan.
 *
 * @param inArrivalOrder whether the rows stand in that order physically
 * @param timeByDefault the time column, when it was taken only because there is no other
 * @param clock what tells that tuples are complete, when the stream has not ended
 * @param batch the column of the order that the first operator on the stream fills in
 * @param slackByDefault whether nobody said how long to wait for tuples that are out of order
 */
final case class OrderedStream(
    plan: LogicalPlan,
    order: StreamOrder,
    inArrivalOrder: Boolean = false,
    timeByDefault: Option[String] = None,
    clock: StreamClock = StreamClock.Arrival,
    batch: Option[Attribute] = None,
    slackByDefault: Boolean = false) {
  def time: Option[StreamTime] = order.time

  /** With columns that tell its substreams apart. */
  def keyed(keys: KeyColumns): OrderedStream = copy(plan = keys.over(plan))
}

/** Decides what orders a relation: the five rules of "which column is the time". */
object StreamOrders {

  def of(relation: LogicalPlan, on: Option[ColumnName]): OrderedStream = on match {
    case Some(column) =>
      val time = Columns.find(column, relation.output)
      if (!TimeAxis.supports(time.dataType)) TimeAxis.typeRefused(column.text, time.dataType, column.at)
      ordered(relation, Some(time), Nil, declaredSlack(relation, time))
    case None => carried(relation).getOrElse(undeclared(relation, declaredSlack(relation, _)))
  }

  /** The order that ORDER BY tells: the time, then what breaks ties. */
  def by(relation: LogicalPlan, columns: Seq[Attribute], at: Origin): OrderedStream = {
    val time = columns.head
    if (!TimeAxis.supports(time.dataType)) TimeAxis.typeRefused(time.name, time.dataType, at)
    ordered(relation, Some(time), columns.tail, declaredSlack(relation, time))
  }

  /** The columns that a relation was declared to be ordered by. */
  def declaredColumns(relation: LogicalPlan): Seq[Attribute] = relation match {
    case view: View =>
      DeclaredStream.of(view).toSeq.flatMap(_.orderBy).flatMap(Columns.resolve(_, view.output))
    case SubqueryAlias(_, child) => declaredColumns(child)
    case Filter(_, child) => declaredColumns(child)
    case Project(list, child) => declaredColumns(child).takeWhile(c => list.exists(_.exprId == c.exprId))
    case _ => Nil
  }

  /** The order that a declared stream, or the answer of a block, brings along. */
  def carried(plan: LogicalPlan): Option[OrderedStream] = plan match {
    case answer: ContinuousAnswer => Some(answered(answer))
    case view: View =>
      DeclaredStream.of(view) match {
        case Some(traits) if traits.isLate => Some(ordered(view, None, Nil, None))
        case Some(traits) if traits.orderBy.nonEmpty => Some(declared(view, traits))
        case Some(traits) => Some(undeclared(view, _ => traits.slack))
        case None => carried(view.child)
      }
    case SubqueryAlias(_, child) => carried(child)
    case Project(list, child) =>
      carried(child).map(c => c.copy(plan = Project(Carrying.append(list, c.order.columns), c.plan)))
    case Filter(condition, child) =>
      carried(child).map(c => c.copy(plan = RequireTime.unless(condition, c.plan)))
    case metrics: CollectMetrics =>
      carried(metrics.child).map(c => c.copy(plan = metrics.copy(child = c.plan)))
    case Sort(_, _, child, _) => carried(child)
    case hint: ResolvedHint => carried(hint.child)
    case _ => None
  }

  /** What breaks ties is hidden, so it may be a column that a table beside the answer has too: it gets a new identity. */
  private def answered(answer: ContinuousAnswer): OrderedStream = {
    val shown = answer.withOrder
    val known = AttributeSet(answer.visible ++ answer.time)
    val hidden = answer.ties.filterNot(known.contains)
    val renewed = AttributeMap(hidden.map(tie => tie -> Alias(tie, tie.name)()))
    val columns = shown.output.map(column => renewed.getOrElse(column, column))
    OrderedStream(
      if (renewed.isEmpty) shown else Project(columns, shown),
      answer.order.copy(ties = answer.ties.map(tie => renewed.get(tie).fold(tie)(_.toAttribute))),
      clock = answer.clock
    )
  }

  private def declared(view: View, traits: DeclaredStream): OrderedStream = {
    val (time, ties) = (traits.orderBy.head, traits.orderBy.tail.map(Columns.find(_, view.output)))
    // Internal time is stamped on arrival; a table's rows have arrived without a stamp.
    if (DeclaredStream.isInternalTime(time) && Columns.resolve(time, view.output).isEmpty)
      if (view.isStreaming) StreamingOrders.internal(view, ties) else ordered(view, None, ties, None)
    else ordered(view, Some(Columns.find(time, view.output)), ties, traits.slack)
  }

  /** How long to wait for the streams that a relation is made of: as long as the slowest was declared to be. */
  private def declaredSlack(relation: LogicalPlan, time: Attribute): Option[String] =
    declaredSlacks(relation).maxByOption(Slack.micros(_, time))

  private def declaredSlacks(relation: LogicalPlan): Seq[String] = relation match {
    case view: View => DeclaredStream.of(view).fold(declaredSlacks(view.child))(_.slack.toSeq)
    // These have waited already, or say themselves how long.
    case _: ContinuousAnswer | _: StreamWindow | _: RelationWindow | _: EventTimeWatermark => Nil
    case other => other.children.filter(_.isStreaming).flatMap(declaredSlacks)
  }

  /** The column that the tuples of a relation are ordered by in time. */
  def eventTime(relation: LogicalPlan): Option[Attribute] = relation match {
    case view: View =>
      DeclaredStream.of(view).flatMap(_.orderBy.headOption).flatMap(Columns.resolve(_, view.output))
        .orElse(obviousTime(view))
    case SubqueryAlias(_, child) => eventTime(child)
    case Filter(_, child) => eventTime(child)
    case Project(list, child) if eventTime(child).exists(time => list.exists(_.exprId == time.exprId)) =>
      eventTime(child)
    case other => obviousTime(other)
  }

  private def obviousTime(relation: LogicalPlan): Option[Attribute] = {
    val obvious = relation.output.filter(column => TimeAxis.isObvious(column.dataType))
    watermarkedTime(relation).orElse(if (obvious.size == 1) obvious.headOption else None)
  }

  private def watermarkedTime(relation: LogicalPlan): Option[Attribute] = relation.output.find(column =>
    column.metadata.contains(EventTimeWatermark.delayKey) && TimeAxis.supports(column.dataType))

  def isStream(plan: LogicalPlan): Boolean = carried(plan).isDefined

  private def undeclared(relation: LogicalPlan, slack: Attribute => Option[String]): OrderedStream =
    obviousTime(relation) match {
      case Some(time) =>
        val byDefault = if (watermarkedTime(relation).isEmpty) Some(time.name) else None
        ordered(relation, Some(time), Nil, slack(time)).copy(timeByDefault = byDefault)
      case None => ordered(relation, None, Nil, None)
    }

  /** Adds the order's columns: the time as a number, and the arrival number that breaks the last ties. */
  private def ordered(
      relation: LogicalPlan,
      time: Option[Attribute],
      ties: Seq[Attribute],
      slack: Option[String]): OrderedStream =
    if (relation.isStreaming) StreamingOrders.ordered(relation, time, ties, slack)
    else ordered(relation, time, ties)

  private def ordered(relation: LogicalPlan, time: Option[Attribute], ties: Seq[Attribute]): OrderedStream = {
    val arrival = Alias(ArrivalNumber(), "arrival")()
    val number = time.map(column => Alias(timeNumber(column), "time")())
    OrderedStream(
      Project(relation.output ++ number :+ arrival, timed(relation, time)),
      StreamOrder(
        number.map(n => StreamTime(n.toAttribute, time.get.dataType)),
        ties :+ arrival.toAttribute),
      inArrivalOrder = time.isEmpty && ties.isEmpty
    )
  }

  /** The relation without the tuples that have no time, if the session wants them left out. */
  def timed(relation: LogicalPlan, time: Option[Attribute]): LogicalPlan =
    time.filter(column => column.nullable && CsqlConf.dropsNullTimes(SQLConf.get)) match {
      case Some(column) => DropNullTimes(column, relation)
      case None => relation
    }

  def timeNumber(column: Attribute): Expression =
    if (column.nullable) RequireTime(TimeAxis.toNumber(column), column.name) else TimeAxis.toNumber(column)

  /** The time of a stream that a clause needs, or the error that lists what could have been named. */
  def requireTime(stream: OrderedStream, relation: LogicalPlan, at: Origin): StreamTime =
    stream.time.getOrElse {
      val obvious = relation.output.filter(column => TimeAxis.isObvious(column.dataType))
      val possible = relation.output.filter(column => TimeAxis.supports(column.dataType))
      if (obvious.size > 1) {
        CsqlErrors.analysis(
          "CSQL_TIME_COLUMN_AMBIGUOUS",
          at,
          "candidates" -> obvious.map(_.name).mkString(", "))
      } else {
        val names = if (possible.isEmpty) "none" else possible.map(_.name).mkString(", ")
        CsqlErrors.analysis("CSQL_TIME_COLUMN_MISSING", at, "candidates" -> names)
      }
    }
}

object Columns {

  /** The column that a name in a clause means. */
  def find(name: ColumnName, among: Seq[Attribute]): Attribute = resolve(name, among).getOrElse {
    val names = if (among.isEmpty) "none" else among.map(_.name).mkString(", ")
    CsqlErrors.analysis("CSQL_COLUMN_NOT_FOUND", name.at, "name" -> name.text, "suggestions" -> names)
  }

  def resolve(name: ColumnName, among: Seq[Attribute]): Option[Attribute] =
    among.resolve(name.parts, SQLConf.get.resolver).collect { case column: Attribute => column }
}
