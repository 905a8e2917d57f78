package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SortExec, SparkPlan, UnaryExecNode}

/**
 * Numbers rows in their order, all partitions at once: the rows are range-partitioned and sorted,
 * a first pass counts each partition, and each partition then starts where the ones before it end.
 */
final case class NumberExec(
    order: Seq[Attribute],
    inArrivalOrder: Boolean,
    number: Attribute,
    child: SparkPlan)
    extends UnaryExecNode {
  private val sortOrder = order.map(SortOrder(_, Ascending))

  override def output: Seq[Attribute] = child.output :+ number
  override def producedAttributes: AttributeSet = AttributeSet(number)
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = sortOrder

  override def requiredChildDistribution: Seq[Distribution] =
    if (inArrivalOrder) UnspecifiedDistribution :: Nil else OrderedDistribution(sortOrder) :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    val sizes = if (rows.getNumPartitions <= 1) Array(0L) else sparkContext.runJob(rows, NumberExec.count _)
    val starts = sizes.scanLeft(0L)(_ + _)
    val columns = child.output
    val withNumber = output
    // Sorting comes after counting, so that the counting pass does not sort.
    sorted(rows).mapPartitionsWithIndex { (partition, iterator) =>
      val project = UnsafeProjection.create(withNumber, columns :+ withNumber.last)
      val joined = new JoinedRow
      val numberRow = new SpecificInternalRow(Seq(withNumber.last.dataType))
      var next = starts(partition)
      iterator.map { row =>
        next += 1
        numberRow.setLong(0, next)
        project(joined(row, numberRow))
      }
    }
  }

  private def sorted(rows: RDD[InternalRow]): RDD[InternalRow] =
    if (inArrivalOrder) rows
    else {
      val sort = SortExec(Spot.roughly(Nil, order), global = false, child)
      val inOrder = InOrder(Spot.exactly(Nil, order), sort)
      sort.execute().mapPartitions(inOrder)
    }

  override protected def withNewChildInternal(newChild: SparkPlan): NumberExec = copy(child = newChild)
}

private object NumberExec {
  def count(rows: Iterator[InternalRow]): Long = {
    var n = 0L
    rows.foreach(_ => n += 1)
    n
  }
}
