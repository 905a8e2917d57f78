package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.sparkcsql.plan.BlockSummary

/** Stands in a physical plan where a block's answer leaves it, so that EXPLAIN can tell what the block means. */
final case class ContinuousAnswerExec(summary: BlockSummary, visible: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute] = visible
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def simpleString(maxFields: Int): String = s"ContinuousAnswer $summary"

  override protected def doExecute(): RDD[InternalRow] =
    if (child.output.map(_.exprId) == visible.map(_.exprId)) child.execute()
    else {
      val (to, from) = (visible, child.output)
      child.execute().mapPartitions { rows =>
        val project = UnsafeProjection.create(to, from)
        rows.map(project)
      }
    }

  override protected def withNewChildInternal(newChild: SparkPlan): ContinuousAnswerExec =
    copy(child = newChild)
}
