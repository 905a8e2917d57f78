package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.csql.InputFiles
import org.apache.spark.unsafe.types.UTF8String
import org.sparkcsql.plan.{Run, RunIndex}

/**
 * Stored streams mostly stand in their order already, file by file. One pass over the columns of
 * the order tells whether they do, and then nothing need be sorted.
 *
 * @param rows the columns of the order alone
 */
final case class OrderedRuns(order: Seq[Attribute], rows: LogicalPlan) {
  override def toString: String = ""

  def find(session: SparkSession): RunIndex = {
    val execution = session.sessionState.executePlan(rows)
    val columns = execution.executedPlan.output
    OrderedRuns.index(execution.toRdd, OrderedRuns.ordering(columns))
  }
}

object OrderedRuns {

  /** A partition with more runs than these is not in order. */
  private val Most = 64

  private def ordering(columns: Seq[Attribute]): LazilyGeneratedOrdering =
    new LazilyGeneratedOrdering(columns.map(SortOrder(_, Ascending)), columns)

  private def index(rows: RDD[InternalRow], ordering: LazilyGeneratedOrdering): RunIndex = {
    val perPartition = rows.sparkContext.runJob(
      rows,
      (task: org.apache.spark.TaskContext, part: Iterator[InternalRow]) =>
        runsOf(task.partitionId(), part, ordering))
    val total = perPartition.iterator.map(_._1).sum
    val all = perPartition.flatMap(_._2).sortWith((a, b) => ordering.compare(a.first, b.first) < 0)
    val inOrder = perPartition.forall { case (count, runs) => runs.iterator.map(_.count).sum == count } &&
      all.iterator.sliding(2).forall {
        case Seq(before, after) => ordering.compare(before.last, after.first) < 0
        case _ => true
      }
    RunIndex(total, if (inOrder) Some(starts(perPartition.map(_._2), all)) else None)
  }

  private def starts(perPartition: Array[Array[Run]], inOrder: Array[Run]): Array[Array[(Long, Long)]] = {
    val before = inOrder.zip(inOrder.map(_.count).scanLeft(0L)(_ + _)).toMap
    perPartition.map(_.map(run => (run.count, before(run))))
  }

  /** How many rows a partition has, and its runs as far as there are not too many. A run ends with its file at the latest. */
  private def runsOf(
      partition: Int,
      rows: Iterator[InternalRow],
      ordering: LazilyGeneratedOrdering): (Long, Array[Run]) = {
    val runs = new ArrayBuffer[Run]
    var total = 0L
    var count = 0L
    var first: UnsafeRow = null
    var file: UTF8String = null
    val previous = new UnsafeRow(ordering.ordering.length)
    def close(): Unit = {
      if (count > 0 && runs.length < Most) runs += Run(partition, count, first, previous.copy())
      count = 0
    }
    rows.foreach { row =>
      val current = row.asInstanceOf[UnsafeRow]
      val from = InputFiles.current
      if (count > 0 && ((from ne file) || ordering.compare(previous, current) > 0)) close()
      file = from
      if (count == 0) {
        first = current.copy()
        previous.pointTo(new Array[Byte](current.getSizeInBytes), current.getSizeInBytes)
      }
      count += 1
      total += 1
      if (runs.length < Most) previous.copyFrom(current)
    }
    close()
    (total, runs.toArray)
  }
}
