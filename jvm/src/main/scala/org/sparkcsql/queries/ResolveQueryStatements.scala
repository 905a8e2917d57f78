package org.sparkcsql.queries

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.plan._

/** From parsed statements about continuous queries to the commands that run them. */
object ResolveQueryStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case create: CreateContinuousQuery => CreateQueryCommand(create)
    case drop: DropContinuousQuery => DropQueryCommand(drop)
    case show: ShowContinuousQueries => ShowQueriesCommand(show)
    case describe: DescribeContinuousQuery => DescribeQueryCommand(describe)
    case stop: StopContinuousQuery => StopQueryCommand(stop)
    case resume: ResumeContinuousQuery => ResumeQueryCommand(resume)
    case other => other
  }
}
