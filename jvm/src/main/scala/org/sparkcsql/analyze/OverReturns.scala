package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{ExprId, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.sparkcsql.aggregates.Returning
import org.sparkcsql.plan.StreamOrder

/** The rows of windows, after aggregates of users have said how many rows there are for each tuple. */
private[analyze] final case class OverReturns(
    plan: LogicalPlan,
    values: Map[ExprId, Expression],
    order: StreamOrder)

private[analyze] object OverReturns {
  def of(calls: Seq[OverCall], steps: OverSteps, plan: LogicalPlan): OverReturns = {
    val users = calls.filter(_.userCall.isDefined)
    Returning.of(users.flatMap(_.userCall)).fold(OverReturns(plan, steps.results, steps.order)) { rows =>
      val ids = users.map(_.item.exprId)
      OverReturns(
        rows.over(ids.map(steps.results), plan),
        steps.results ++ ids.zip(rows.values),
        steps.order.copy(ties = steps.order.ties :+ rows.place))
    }
  }
}
