package org.sparkcsql.catalog

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.plan._

/** From parsed statements about streams to the commands that run them. */
object ResolveStreamStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case create @ CreateStream(_, _, _, StreamBody.Query(text, query), _, _, _) =>
      CreateStreamCommand(create, text, query)
    case create: CreateStream => CreateSourceStreamCommand(create)
    case drop: DropStream => DropStreamCommand(drop)
    case show: ShowStreams => ShowStreamsCommand(show)
    case describe: DescribeStream => DescribeStreamCommand(describe)
    case other => other
  }
}
