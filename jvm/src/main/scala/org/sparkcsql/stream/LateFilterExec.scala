package org.sparkcsql.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.sparkcsql.errors.CsqlErrors

/** Leaves out late rows before they are merged with others; the stateful operator above says which are late. */
final case class LateFilterExec(time: Attribute, earliest: Long, child: SparkPlan) extends UnaryExecNode {
  @transient private var late: Option[(Long, SQLMetric)] = None

  def bind(before: Long, dropped: SQLMetric): Unit = late = Some((before, dropped))

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val (before, dropped) = late.getOrElse(throw new IllegalStateException("nobody has told what is late"))
    val first = earliest
    val reader = new ColumnReader(Some(time), child.output)
    child.execute().mapPartitions(_.filter { row =>
      val instant = reader.long(row, Long.MinValue)
      if (instant < first) throw CsqlErrors.runtime("CSQL_STREAM_TIME_NEGATIVE", "time" -> instant.toString)
      val inTime = instant >= before
      if (!inTime) dropped += 1
      inTime
    })
  }

  override protected def withNewChildInternal(newChild: SparkPlan): LateFilterExec = copy(child = newChild)
}
