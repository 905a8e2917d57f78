package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Gives `evaluation_time()` the type of the time of its own block's stream. */
object ResolveEvaluationTime extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case node if node.childrenResolved && node.expressions.exists(_.exists(isOpen)) =>
      node.transformExpressions {
        case time @ EvaluationTime(None) =>
          val typed = EvaluationTime(Some(timeType(node, time)))
          typed.copyTagsFrom(time)
          typed
      }
  }

  private def isOpen(expression: org.apache.spark.sql.catalyst.expressions.Expression): Boolean =
    expression match {
      case EvaluationTime(None) => true
      case _ => false
    }

  private def timeType(node: LogicalPlan, time: EvaluationTime): DataType = ofBlock(node) match {
    case Some(Some(dataType)) => dataType
    case Some(None) =>
      CsqlErrors.analysis("CSQL_EVALUATION_TIME", time.origin, "reason" -> "the stream has no time.")
    case None =>
      CsqlErrors.analysis("CSQL_EVALUATION_TIME", time.origin, "reason" -> "the query has no window or frequency.")
  }

  /** The time type of the windowed stream of the block that a node belongs to; the outer option: is there one. */
  private def ofBlock(node: LogicalPlan): Option[Option[DataType]] = node match {
    case windowed: WindowedRelation => Some(ofClause(windowed))
    case AnswerFrequency(_, child) => ofBlock(child).orElse(Some(ofRelation(child)))
    case SubqueryAlias(_, child) if Block.isQuery(child) => None
    case _: View | _: Union | _: SetOperation | _: ContinuousAnswer => None
    case other => other.children.iterator.map(ofBlock).collectFirst { case found @ Some(_) => found }.flatten
  }

  private def ofClause(windowed: WindowedRelation): Option[DataType] = windowed.clause.on match {
    case Some(column) => Some(Columns.find(column, windowed.child.output).dataType)
    case None => ofRelation(windowed.child)
  }

  private def ofRelation(relation: LogicalPlan): Option[DataType] = relation match {
    case answer: ContinuousAnswer => answer.timeType
    case view: View if DeclaredStream.of(view).exists(_.orderBy.nonEmpty) =>
      StreamOrders.of(view, None).time.map(_.dataType)
    case view: View => ofRelation(view.child)
    case SubqueryAlias(_, child) => ofRelation(child)
    case union: Union => ofRelation(union.children.head)
    case Distinct(union: Union) => ofRelation(union)
    case _: Project | _: Filter | _: Aggregate | _: Sort | _: Distinct | _: AnswerFrequency =>
      ofBlock(relation).getOrElse(
        if (relation.isInstanceOf[Aggregate]) obvious(relation) else ofRelation(relation.children.head))
    case other => obvious(other)
  }

  private def obvious(relation: LogicalPlan): Option[DataType] = StreamOrders.of(relation, None).time.map(_.dataType)
}
