package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{
  PullupCorrelatedPredicates,
  RewriteCorrelatedScalarSubquery,
  RewritePredicateSubquery
}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.BooleanType

/**
 * Subqueries in the expressions of a query as joins, which is how a relation that changes can be
 * compared with another one. Spark's own rules do it; here they run before its optimiser would.
 */
private[analyze] object Subqueries {

  /** Marks what stands in a subquery of a condition, not in FROM. */
  val Inside: TreeNodeTag[Unit] = TreeNodeTag[Unit]("csql.insideSubquery")

  def asJoins(plan: LogicalPlan): LogicalPlan = if (!plan.exists(holds)) plan
  else {
    val inner = plan.transformAllExpressions { case subquery: SubqueryExpression =>
      val own = asJoins(subquery.plan)
      own.foreach(_.setTagValue(Inside, ()))
      subquery.withNewPlan(own)
    }
    val joined = inner.transformUp {
      case node if holds(node) => uncorrelated(spark(PullupCorrelatedPredicates(node)))
    }
    joined
  }

  private def spark(node: LogicalPlan): LogicalPlan =
    RewriteCorrelatedScalarSubquery(RewritePredicateSubquery(node))

  private def holds(node: LogicalPlan): Boolean = node.expressions.exists(SubqueryExpression.hasSubquery)

  /** What Spark leaves, because it would run it once: subqueries without a reference to the query around them. */
  private def uncorrelated(node: LogicalPlan): LogicalPlan = node.transformUp {
    case unary: UnaryNode if holds(unary) =>
      var child = unary.child
      val changed = unary.transformExpressions {
        case Exists(sub, _, _, _, _) =>
          val found = AttributeReference("exists", BooleanType, nullable = false)()
          child = Join(child, sub, ExistenceJoin(found), None, JoinHint.NONE)
          found
        case scalar: ScalarSubquery =>
          val value = Alias(scalar.plan.output.head, "value")()
          child = Join(child, Project(Seq(value), scalar.plan), LeftSingle, None, JoinHint.NONE)
          value.toAttribute.withNullability(true)
      }
      val whole = changed.withNewChildren(Seq(child))
      if (whole.output == unary.output) whole else Project(unary.output, whole)
  }
}
