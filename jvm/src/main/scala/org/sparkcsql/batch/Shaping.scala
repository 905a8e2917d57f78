package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete, Min}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.IntegerType
import org.sparkcsql.analyze.{Carrying, ComparedByBytes, KeyColumns, RowLimits, RowRange}
import org.sparkcsql.plan.WithinEvaluation

/**
 * What stands above a block's window and aggregation: SELECT list, HAVING, and, for each evaluation,
 * DISTINCT and ORDER BY … LIMIT.
 */
private[sparkcsql] object Shaping {

  /**
   * Applies the operators from the bottom up as long as they act on single rows or single
   * evaluations. The rest is plain SQL on the whole answer and is given back.
   */
  @scala.annotation.tailrec
  def apply(answer: Answer, above: Seq[LogicalPlan], jumping: Boolean): (Answer, Seq[LogicalPlan]) =
    above.lastOption match {
      case Some(Project(list, _)) => apply(project(answer, list), above.init, jumping)
      case Some(Filter(condition, _)) =>
        apply(answer.copy(plan = Filter(answer.timed(condition), answer.plan)), above.init, jumping)
      case Some(_: Distinct) => apply(distinct(answer), above.init, jumping)
      case Some(sort: Sort) if jumping && limitsAbove(above.init).exists(_.isInstanceOf[GlobalLimit]) =>
        val range = RowLimits.of(limitsAbove(above.init))
        val rest = above.init.filterNot(RowLimits.isLimit)
        apply(top(answer, sort.order, range), rest, jumping)
      case _ => (answer, above)
    }

  private def project(answer: Answer, list: Seq[NamedExpression]): Answer = {
    val timed = list.map(answer.timed(_))
    answer.copy(
      plan = Project(Carrying.append(timed, answer.hidden), answer.plan),
      visible = timed.map(_.toAttribute))
  }

  /** Drops all but the first of equal rows of one evaluation. */
  def distinct(answer: Answer): Answer = if (answer.plan.isStreaming) {
    ComparedByBytes.require(answer.visible, answer.plan.origin)
    val order = Expressions.ascending(answer.within)
    val keys = new KeyColumns(answer.visible)
    val keyed = answer.copy(plan = keys.over(answer.plan))
    answer.copy(plan = withinEvaluation(keyed, keys(answer.visible), order, RowRange(None, 0)))
  } else {
    val keys = Carrying.distinct(answer.visible ++ answer.evaluationColumns)
    val rest = answer.within.filterNot(w => keys.exists(_.exprId == w.exprId))
    if (rest.isEmpty) answer.copy(plan = Aggregate(keys, keys, answer.plan), within = Nil)
    else {
      val place = CreateNamedStruct(rest.zipWithIndex.flatMap { case (c, i) => Seq(Literal(s"c$i"), c) })
      val first = Alias(AggregateExpression(Min(place), Complete, isDistinct = false), "first")()
      answer.copy(plan = Aggregate(keys, keys :+ first, answer.plan), within = Seq(first.toAttribute))
    }
  }

  private def top(answer: Answer, order: Seq[SortOrder], range: RowRange): Answer = {
    val (written, computed) = order.map(o => column(o, answer.timed(o.child))).unzip
    val keyed = answer.copy(plan = Expressions.withColumns(answer.plan, computed.flatten))
    val wanted = written ++ Expressions.ascending(answer.within)
    if (answer.plan.isStreaming) {
      val node = withinEvaluation(keyed, Nil, wanted, range)
      answer.copy(plan = node, within = Seq(node.rank))
    } else ranked(keyed, wanted, range)
  }

  /** A sort looks at a row more than once, so what is not the same each time, like rand(), is computed before it. */
  private def column(order: SortOrder, by: Expression): (SortOrder, Option[Alias]) = by match {
    case same: Attribute => (order.copy(child = same, sameOrderExpressions = Nil), None)
    case other =>
      val alias = Alias(other, "order")()
      (order.copy(child = alias.toAttribute, sameOrderExpressions = Nil), Some(alias))
  }

  private def withinEvaluation(
      answer: Answer,
      distinct: Seq[Attribute],
      order: Seq[SortOrder],
      range: RowRange): WithinEvaluation = {
    val rank = AttributeReference("rank", IntegerType, nullable = false)()
    WithinEvaluation(answer.evaluationColumns, distinct, order, range.limit, range.offset, rank, answer.plan)
  }

  private def ranked(answer: Answer, wanted: Seq[SortOrder], range: RowRange): Answer = {
    val frame = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, CurrentRow)
    val (ranked, rank) =
      Expressions.over(RowNumber(), answer.evaluationColumns, wanted, frame, "rank", answer.plan)
    val conditions =
      range.limit.map(n => LessThanOrEqual(rank, Literal(Math.addExact(n, range.offset)))) ++
        (if (range.offset > 0) Some(GreaterThan(rank, Literal(range.offset))) else None)
    answer.copy(plan = Filter(conditions.reduce[Expression](And(_, _)), ranked), within = Seq(rank))
  }

  /** LIMIT and OFFSET of the same SELECT; only its list may stand between them and ORDER BY. */
  private def limitsAbove(above: Seq[LogicalPlan]): Seq[LogicalPlan] =
    above.reverse.takeWhile(node => RowLimits.isLimit(node) || node.isInstanceOf[Project])
      .filter(RowLimits.isLimit).reverse
}
