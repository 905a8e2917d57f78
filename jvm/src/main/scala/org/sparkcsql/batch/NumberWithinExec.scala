package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Counts the rows of each key as they pass. Spark's own window operator would hold all rows of a key first. */
final case class NumberWithinExec(
    keys: Seq[Attribute],
    order: Seq[Attribute],
    number: Attribute,
    child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output :+ number
  override def producedAttributes: AttributeSet = AttributeSet(number)
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = Spot.exactly(keys, order)

  override def requiredChildDistribution: Seq[Distribution] = ClusteredDistribution(keys) :: Nil
  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(Spot.roughly(keys, order))

  override protected def doExecute(): RDD[InternalRow] = {
    val (of, columns, withNumber) = (keys, child.output, output)
    val inOrder = InOrder(Spot.exactly(keys, order), child)
    child.execute().mapPartitions { rows =>
      val numbers = new ByKey(of, columns, _ => new SpecificInternalRow(Seq(withNumber.last.dataType)))
      val project = UnsafeProjection.create(withNumber, columns :+ withNumber.last)
      val joined = new JoinedRow
      inOrder(rows).map { row =>
        val number = numbers(row)
        number.setLong(0, number.getLong(0) + 1)
        project(joined(row, number))
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): NumberWithinExec = copy(child = newChild)
}
