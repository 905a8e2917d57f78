package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** Leaves out tuples without a time; how many is a metric of the query. */
final case class DropNullTimesExec(time: Attribute, child: SparkPlan) extends UnaryExecNode {
  override lazy val metrics: Map[String, SQLMetric] =
    Map("nullTimes" -> SQLMetrics.createMetric(sparkContext, "number of tuples left out for a NULL time"))

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val (ordinal, dropped) = (Ordinals.of(Some(time), child.output), longMetric("nullTimes"))
    child.execute().mapPartitions(_.filter { row =>
      val missing = row.isNullAt(ordinal)
      if (missing) dropped += 1
      !missing
    })
  }

  override protected def withNewChildInternal(newChild: SparkPlan): DropNullTimesExec = copy(child = newChild)
}
