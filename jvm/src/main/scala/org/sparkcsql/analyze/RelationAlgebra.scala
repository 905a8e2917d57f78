package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.plan._

/** A query over several windows in the terms of the algebra. */
private[analyze] object RelationAlgebra {
  def apply(plan: LogicalPlan): String = plan match {
    case WindowedRelation(clause, child) => Algebra.windowed(clause, apply(child))
    case RelationToStream(operator, child) => s"${operator.name}(${apply(child)})"
    case AnswerFrequency(frequency, child) => s"F[${Algebra.frequencyText(frequency)}](${apply(child)})"
    case answer: ContinuousAnswer => answer.summary.algebra
    case AliasedItems(joined) => apply(joined)
    case SubqueryAlias(identifier, child) if !Block.isQuery(child) && !windowed(child) => identifier.name
    case SubqueryAlias(_, child) => apply(child)
    case view: View if DeclaredStream.of(view).isDefined || !Relations.holdsClause(view) =>
      view.desc.identifier.table
    case view: View => apply(view.child)
    case Project(list, child) => s"π[${texts(list)}](${apply(child)})"
    case Filter(condition, child) => s"σ[${text(condition)}](${apply(child)})"
    case join: Join =>
      val condition = join.condition.fold("")(c => s"[${text(c)}]")
      s"${join.joinType.sql} ⋈$condition(${apply(join.left)}, ${apply(join.right)})"
    case aggregate: Aggregate =>
      val keys = texts(aggregate.groupingExpressions)
      s"γ[${if (keys.isEmpty) "" else keys + "; "}${texts(aggregate.aggregateExpressions)}](${apply(aggregate.child)})"
    case Distinct(child) => s"δ(${apply(child)})"
    case union: Union => s"⊎(${union.children.map(apply).mkString(", ")})"
    case Intersect(left, right, all) => s"∩${if (all) " ALL" else ""}(${apply(left)}, ${apply(right)})"
    case Except(left, right, all) => s"−${if (all) " ALL" else ""}(${apply(left)}, ${apply(right)})"
    case GlobalLimit(count, child) => s"top[${count.sql}](${apply(child)})"
    case Offset(count, child) => s"from[${count.sql}](${apply(child)})"
    case Sort(order, _, child, _) => s"order[${texts(order)}](${apply(child)})"
    case other if other.children.size == 1 => apply(other.children.head)
    case other => other.nodeName
  }

  private def windowed(plan: LogicalPlan): Boolean = plan.isInstanceOf[WindowedRelation]

  private def texts(expressions: Seq[Expression]): String = expressions.map(text).mkString(", ")

  /** An expression with the subqueries in it written out behind it. */
  private def text(expression: Expression): String = {
    val subqueries = expression.collect { case subquery: SubqueryExpression => apply(subquery.plan) }
    (expression.sql +: subqueries).mkString(" with ")
  }
}
