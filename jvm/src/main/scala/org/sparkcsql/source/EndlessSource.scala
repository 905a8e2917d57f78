package org.sparkcsql.source

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

/** The reading of a declared source, until Spark has found out what it is. */
final case class EndlessSource(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): EndlessSource = copy(child = newChild)
}

/**
 * Who wants the rows of an endless answer back is refused by Spark, which names the source. The name
 * therefore says what to do in SQL.
 */
object NameEndlessSources extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case EndlessSource(source: StreamingRelation) => source.copy(sourceName = advised(source.sourceName))
    case EndlessSource(source: StreamingRelationV2) => source.copy(sourceName = advised(source.sourceName))
    case EndlessSource(child) if child.resolved => child
  }

  private def advised(name: String): String =
    s"$name, which has no end: CREATE CONTINUOUS QUERY … AS SELECT … keeps the answer in a table"
}
