package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.plan._

/** From parsed statements about aggregates to the commands that run them. */
object ResolveAggregateStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case create: CreateAggregate => CreateAggregateCommand(create)
    case drop: DropAggregate => DropAggregateCommand(drop)
    case show: ShowAggregates => ShowAggregatesCommand(show)
    case describe: DescribeAggregate => DescribeAggregateCommand(describe)
    case other => other
  }
}
