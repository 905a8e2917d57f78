package org.sparkcsql.source

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, If, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.plans.logical.{CollectMetrics, LogicalPlan}
import org.apache.spark.sql.streaming.StreamingQueryProgress

/** Counts the rows of a source that do not fit its declared columns; the count shows in a query's progress. */
object RejectedRows {
  private val Prefix = "csql_rejected:"
  private val Field = "rows"

  /** @param row all that a misfit is found in, so that no column of it is pruned */
  def count(label: String, misfit: Expression, row: Expression, child: LogicalPlan): LogicalPlan = {
    val counted = If(misfit, row, Literal(null))
    CollectMetrics(
      Prefix + label,
      Seq(Alias(Count(counted).toAggregateExpression(), Field)()),
      child,
      // The same number wherever a stream is read, which lets one query read it twice.
      dataframeId = label.hashCode.toLong
    )
  }

  def of(progress: StreamingQueryProgress): Long = progress.observedMetrics.asScala.collect {
    case (name, row) if name.startsWith(Prefix) => row.getAs[Long](Field)
  }.sum
}
