package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{
  BooleanSimplification,
  PullupCorrelatedPredicates,
  RewriteCorrelatedScalarSubquery,
  RewritePredicateSubquery,
  SimplifyBinaryComparison
}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.BooleanType
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.plan._

/**
 * Subqueries in the expressions of a query as joins, which is how a relation that changes can be
 * compared with another one. Spark's own rules do it; here they run before its optimiser would.
 */
private[analyze] object Subqueries {

  def asJoins(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(holds)) plan else joined(plan).transformUp { case Hidden(stream) => stream }

  /** Streams stand in the result hidden: what is inside of them is looked at when their own answer is made. */
  private def joined(plan: LogicalPlan): LogicalPlan = plan match {
    case _: WindowedRelation | _: RelationToStream | _: ContinuousAnswer => Hidden(plan)
    case view: View if DeclaredStream.of(view).isDefined => Hidden(plan)
    case other =>
      other.mapChildren(joined) match {
        case node if holds(node) =>
          uncorrelated(correlated(node.transformExpressions { case subquery: SubqueryExpression =>
            subquery.withNewPlan(joined(subquery.plan))
          }))
        // the rules leave a SELECT list below that of the query
        case Project(list, Project(columns, child)) if columns.forall(_.isInstanceOf[Attribute]) =>
          Project(list, child)
        case node => node
      }
  }

  /** Spark's rules look at the node alone. They know NULL in a NOT IN only where NOT stands right before it. */
  private def correlated(node: LogicalPlan): LogicalPlan = {
    val known = node.children.map(Hidden(_))
    val simple = BooleanSimplification(SimplifyBinaryComparison(node.withNewChildren(known)))
    val joins = RewriteCorrelatedScalarSubquery(RewritePredicateSubquery(PullupCorrelatedPredicates(simple)))
    marked(joins, known)
  }

  /** Tells the joins that the rules have made from those of the query: they hold nothing of it on the right. */
  private def marked(plan: LogicalPlan, known: Seq[Hidden]): LogicalPlan = plan match {
    case same: Hidden if known.exists(_ eq same) => same.plan
    case join: Join if !join.right.exists(node => known.exists(_ eq node)) =>
      join.copy(left = marked(join.left, known), right = SubqueryPart(join.right))
    case other => other.mapChildren(marked(_, known))
  }

  private def holds(node: LogicalPlan): Boolean = node.expressions.exists(SubqueryExpression.hasSubquery)

  /** What Spark leaves, because it would run it once: subqueries without a reference to the query around them. */
  private def uncorrelated(node: LogicalPlan): LogicalPlan = node.transformUp {
    case unary: UnaryNode if holds(unary) =>
      var child = unary.child
      val changed = unary.transformExpressions {
        case Exists(sub, _, _, _, _) =>
          val found = AttributeReference("exists", BooleanType, nullable = false)()
          child = Join(child, SubqueryPart(sub), ExistenceJoin(found), None, JoinHint.NONE)
          found
        case scalar: ScalarSubquery =>
          val value = Alias(scalar.plan.output.head, "value")()
          val part = SubqueryPart(Project(Seq(value), scalar.plan))
          child = Join(child, part, LeftSingle, None, JoinHint.NONE)
          value.toAttribute.withNullability(true)
      }
      val whole = changed.withNewChildren(Seq(child))
      if (whole.output == unary.output) whole else Project(unary.output, whole)
  }
}

/** A plan that Spark's rules shall see the columns of, and nothing else. */
private final case class Hidden(plan: LogicalPlan) extends LeafNode {
  override def output: Seq[Attribute] = plan.output
}

/** What stands in a subquery of a condition, not in FROM. */
private[analyze] final case class SubqueryPart(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): SubqueryPart = copy(child = newChild)
}
