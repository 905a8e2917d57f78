package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.csql.InputFiles
import org.apache.spark.sql.execution.{RDDScanExec, SparkPlan}
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String
import org.sparkcsql.plan.{Run, RunIndex}

/**
 * Stored streams mostly stand in their order already, file by file. One pass over the columns of
 * the order tells whether they do, and then nothing need be sorted.
 */
final case class OrderedRuns(order: Seq[Attribute], rows: LogicalPlan) {
  override def toString: String = ""

  def find(session: SparkSession): RunIndex =
    StoredTimes.of(order, rows, session).flatMap { times =>
      KnownRuns.of(times, session)(OrderedRuns.inTimes(times.batches, order))
    }.getOrElse {
      val execution = session.sessionState.executePlan(Project(order, rows))
      OrderedRuns.inRows(execution.toRdd, execution.executedPlan.output)
    }

  /** The rows with all columns, to be sorted. */
  def read(session: SparkSession): SparkPlan = {
    val execution = session.sessionState.executePlan(rows)
    RDDScanExec(rows.output, execution.toRdd, "rows out of order")
  }
}

object OrderedRuns {

  /** A partition with more runs than these is not in order. */
  private val Most = 64

  /** Nothing if a time is missing. */
  private def inTimes(times: RDD[ColumnarBatch], columns: Seq[Attribute]): Option[RunIndex] = {
    val perPartition = times.sparkContext.runJob(
      times,
      (task: TaskContext, batches: Iterator[ColumnarBatch]) =>
        new TimeRunFinder(task.partitionId(), Most).find(batches))
    if (perPartition.forall(_.isDefined)) Some(index(perPartition.map(_.get), ascending(columns))) else None
  }

  private def inRows(rows: RDD[InternalRow], columns: Seq[Attribute]): RunIndex = {
    val ordering = ascending(columns)
    val perPartition = rows.sparkContext.runJob(
      rows,
      (task: TaskContext, part: Iterator[InternalRow]) =>
        new RunFinder(task.partitionId(), ordering, Most).find(part))
    index(perPartition, ordering)
  }

  private def ascending(columns: Seq[Attribute]): LazilyGeneratedOrdering =
    new LazilyGeneratedOrdering(columns.map(SortOrder(_, Ascending)), columns)

  private def index(perPartition: Array[(Long, Array[Run])], ordering: LazilyGeneratedOrdering): RunIndex = {
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
}

/** Finds the runs of a partition as far as there are not too many. A run ends with its file at the latest. */
private final class RunFinder(partition: Int, ordering: LazilyGeneratedOrdering, most: Int) {
  private val runs = new ArrayBuffer[Run]
  // The time is a number; where it grows, nothing else need be compared.
  private val timed = ordering.ordering.head.dataType == LongType && !ordering.ordering.head.nullable
  private val previous = new UnsafeRow(ordering.ordering.length)
  private var first: UnsafeRow = null
  private var count = 0L
  private var lastTime = Long.MinValue

  /** How many rows there are, and the runs. */
  def find(rows: Iterator[InternalRow]): (Long, Array[Run]) = {
    var total = 0L
    var file: UTF8String = null
    while (rows.hasNext) {
      val current = rows.next().asInstanceOf[UnsafeRow]
      val from = InputFiles.current
      if (count > 0 && ((from ne file) || !follows(current))) close()
      file = from
      if (count == 0) open(current)
      if (timed) lastTime = current.getLong(0)
      count += 1
      total += 1
      if (runs.length < most) previous.copyFrom(current)
    }
    close()
    (total, runs.toArray)
  }

  private def follows(row: UnsafeRow): Boolean =
    (timed && row.getLong(0) > lastTime) || ordering.compare(previous, row) <= 0

  private def open(row: UnsafeRow): Unit = {
    first = row.copy()
    previous.pointTo(new Array[Byte](row.getSizeInBytes), row.getSizeInBytes)
  }

  private def close(): Unit = {
    if (count > 0 && runs.length < most) runs += Run(partition, count, first, previous.copy())
    count = 0
  }
}
