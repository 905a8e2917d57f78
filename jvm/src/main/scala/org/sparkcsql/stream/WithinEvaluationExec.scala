package org.sparkcsql.stream

import java.util.HashSet

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Numbers the rows of each evaluation in the wanted order, and gives on the different ones, or the first n. */
final case class WithinEvaluationExec(
    evaluation: Seq[Attribute],
    distinct: Seq[Attribute],
    order: Seq[SortOrder],
    limit: Option[Int],
    offset: Int,
    rank: Attribute,
    child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output :+ rank
  override def producedAttributes: AttributeSet = AttributeSet(rank)
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def requiredChildDistribution: Seq[Distribution] = ClusteredDistribution(evaluation) :: Nil
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(evaluation.map(SortOrder(_, Ascending)) ++ order)

  override protected def doExecute(): RDD[InternalRow] = {
    val (columns, all, keys, values) = (child.output, output, evaluation, distinct)
    val last = limit.fold(Int.MaxValue)(n => Math.addExact(n, offset))
    val skipped = offset
    child.execute().mapPartitions { rows =>
      val evaluationOf = UnsafeProjection.create(keys, columns)
      val valuesOf = UnsafeProjection.create(values, columns)
      val project = UnsafeProjection.create(all, all)
      val rankRow = new GenericInternalRow(1)
      val joined = new JoinedRow
      val seen = new HashSet[UnsafeRow]
      var current: UnsafeRow = null
      var count = 0
      rows.flatMap { row =>
        val own = evaluationOf(row)
        if (own != current) {
          current = own.copy()
          count = 0
          seen.clear()
        }
        if (values.nonEmpty && !seen.add(valuesOf(row).copy())) None
        else {
          count += 1
          rankRow.update(0, count)
          if (count > skipped && count <= last) Some(project(joined(row, rankRow))) else None
        }
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): WithinEvaluationExec =
    copy(child = newChild)
}
