package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/**
 * A query whose SELECT list asked for the time of its answer, without what asked for it: the time is
 * no part of the relation.
 *
 * @param plan the query without those columns, but with the columns that they are computed from
 * @param compared how many columns of it are those of the relation
 * @param columns what the query shows
 */
private[analyze] final case class TimedQuery(
    plan: LogicalPlan,
    compared: Int,
    columns: Seq[NamedExpression]) {

  def list(time: EvaluationTime => Expression): Seq[NamedExpression] = columns.map(_.transform {
    case asked: EvaluationTime => time(asked)
  }.asInstanceOf[NamedExpression])

  def check(time: Option[StreamTime]): Unit = {
    EvaluationTimes.refuse(plan)
    if (time.isEmpty)
      columns.foreach(_.foreach {
        case asked: EvaluationTime => EvaluationTimes.refuse(asked, "the stream has no time.")
        case _ =>
      })
  }
}

private[analyze] object EvaluationTimes {

  def apart(plan: LogicalPlan): TimedQuery = plan match {
    case SubqueryAlias(_, child) => apart(child)
    case Project(list, child) =>
      val below = apart(child)
      val times = below.columns.filter(asks).map(item => item.exprId -> item.children.head).toMap
      val substituted = list.map {
        case column: Attribute if times.contains(column.exprId) =>
          Alias(times(column.exprId), column.name)(column.exprId)
        case item =>
          item.transform { case column: Attribute if times.contains(column.exprId) => times(column.exprId) }
            .asInstanceOf[NamedExpression]
      }
      val (timed, plain) = substituted.partition(asks)
      if (timed.isEmpty) TimedQuery(Project(list, below.plan), list.size, list.map(_.toAttribute))
      else {
        val computed = Carrying.append(plain, timed.flatMap(_.references))
        TimedQuery(Project(computed, below.plan), plain.size, shown(substituted))
      }
    case aggregate: Aggregate if aggregate.aggregateExpressions.exists(asks) =>
      val (timed, plain) = aggregate.aggregateExpressions.partition(asks)
      timed.find(item => item.references.nonEmpty || item.exists(_.isInstanceOf[AggregateExpression]))
        .foreach(refuseMixed)
      TimedQuery(
        aggregate.copy(aggregateExpressions = plain),
        plain.size,
        shown(aggregate.aggregateExpressions))
    case _: Filter | _: Distinct | _: Sort | _: GlobalLimit | _: LocalLimit | _: Offset =>
      val below = apart(plan.children.head)
      if (below.compared < below.plan.output.size) below.columns.find(asks).foreach(refuseMixed)
      TimedQuery(plan.withNewChildren(Seq(below.plan)), below.compared, below.columns)
    case _: Union | _: Intersect | _: Except => besides(plan)
    case other => TimedQuery(other, other.output.size, other.output)
  }

  /** The sides of a set operation, which ask for the time in the same columns. */
  private def besides(operation: LogicalPlan): TimedQuery = {
    val sides = operation.children.map(apart)
    val places = sides.map(_.columns.map(asks))
    if (!places.head.contains(true) && places.distinct.size == 1)
      TimedQuery(operation, operation.output.size, operation.output)
    else {
      sides.filter(side => side.compared < side.plan.output.size || side.columns.map(asks) != places.head)
        .flatMap(_.columns.find(asks)).foreach(refuseMixed)
      val columns = operation.output.zip(sides.head.columns).map {
        case (column, asked) if asks(asked) => Alias(asked.children.head, column.name)(column.exprId)
        case (column, _) => column
      }
      TimedQuery(operation.withNewChildren(sides.map(_.plan)), sides.head.compared, columns)
    }
  }

  private def shown(list: Seq[NamedExpression]): Seq[NamedExpression] =
    list.map(item => if (asks(item)) item else item.toAttribute)

  private def asks(expression: Expression): Boolean = expression.exists(_.isInstanceOf[EvaluationTime])

  private def refuseMixed(item: Expression): Unit = item.foreach {
    case asked: EvaluationTime =>
      refuse(
        asked,
        "in one expression with other columns, or in one side of a set operation, it can stand in an outermost SELECT list only.")
    case _ =>
  }

  /** By default the time may be asked for in the SELECT list and in HAVING. */
  def check(block: Block, time: Option[StreamTime]): Unit = {
    refuse(block.from)
    block.aggregate.foreach(_.groupingExpressions.foreach(_.foreach {
      case asked: EvaluationTime => refuse(asked, "GROUP BY looks at tuples, before anything is evaluated.")
      case _ =>
    }))
    if (time.isEmpty)
      (block.above ++ block.aggregate).foreach(_.expressions.foreach(_.foreach {
        case asked: EvaluationTime => refuse(asked, "the stream has no time.")
        case _ =>
      }))
  }

  /** What is a relation, or tuples that are looked at one by one, has no evaluation. */
  def refuse(plan: LogicalPlan): Unit = if (!isStream(plan)) {
    plan.expressions.foreach(_.foreach {
      case asked: EvaluationTime =>
        refuse(asked, "conditions and relations look at tuples, before anything is evaluated.")
      case _ =>
    })
    plan.children.foreach(refuse)
  }

  /** What has evaluations of its own. */
  private def isStream(plan: LogicalPlan): Boolean = plan match {
    case _: ContinuousAnswer | _: WindowedRelation | _: RelationToStream => true
    case _ => false
  }

  def refuse(asked: EvaluationTime, reason: String): Nothing =
    CsqlErrors.analysis("CSQL_EVALUATION_TIME", asked.origin, "reason" -> reason)
}
