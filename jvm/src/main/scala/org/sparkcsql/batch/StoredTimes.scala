package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.csql.InputFiles
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.{LongType, TimestampNTZType, TimestampType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String
import org.sparkcsql.analyze.{ArrivalNumber, RequireTime}
import org.sparkcsql.plan.Run

/**
 * The times of a stream that is ordered by a stored column, then by arrival: read in batches, without making rows.
 *
 * @param reading which column is read, and how the files are understood
 */
private[batch] final case class StoredTimes(batches: RDD[ColumnarBatch], reading: String)

private[batch] object StoredTimes {
  def of(order: Seq[Attribute], rows: LogicalPlan, session: SparkSession): Option[StoredTimes] =
    order match {
      case Seq(time, arrival) if definition(arrival, rows).exists(_._1.isInstanceOf[ArrivalNumber]) =>
        definition(time, rows).collect { case (column: Attribute, stored) => Project(Seq(column), stored) }
          .flatMap(batches(_, session))
      case _ => None
    }

  private def batches(times: LogicalPlan, session: SparkSession): Option[StoredTimes] =
    session.sessionState.executePlan(times).executedPlan match {
      case WholeStageCodegenExec(ColumnarToRowExec(InputAdapter(scan: LeafExecNode))) =>
        Some(StoredTimes(scan.executeColumnar(), reading(scan)))
      case _ => None
    }

  private def reading(scan: LeafExecNode): String = {
    val columns = scan.output.map(column => s"${column.name} ${column.dataType.sql}")
    val files = scan match {
      case files: FileSourceScanExec =>
        import files.relation
        Seq(relation.fileFormat.toString, relation.dataSchema.sql, relation.options.toSeq.sorted.toString)
      case _ => Nil
    }
    (columns ++ files).mkString("\n")
  }

  /** What a column is, and where it is read. */
  @scala.annotation.tailrec
  private def definition(column: Attribute, plan: LogicalPlan): Option[(Expression, LogicalPlan)] =
    plan match {
      case Project(list, child) =>
        list.find(_.exprId == column.exprId).map(unwrapped) match {
          case Some(stored: Attribute) => definition(stored, child)
          case found => found.map((_, child))
        }
      case relation: LogicalRelation => Some((column, relation))
      case _ => None
    }

  /** Numbers of the same order. */
  @scala.annotation.tailrec
  private def unwrapped(expression: Expression): Expression = expression match {
    case Alias(child, _) => unwrapped(child)
    case RequireTime(child, _) => unwrapped(child)
    case PreciseTimestampConversion(child, TimestampType | TimestampNTZType, LongType) => unwrapped(child)
    case other => other
  }
}

/** Finds the runs of a partition in its times, as far as there are not too many. */
private final class TimeRunFinder(partition: Int, most: Int) {
  private val runs = new ArrayBuffer[Run]
  private var arrived = ArrivalNumber.first(partition)
  private var start = arrived
  private var first = 0L
  private var last = 0L
  private var file: UTF8String = null

  /** How many rows there are, and the runs; nothing if a time is missing. */
  def find(batches: Iterator[ColumnarBatch]): Option[(Long, Array[Run])] = {
    var whole = true
    while (whole && batches.hasNext) {
      val batch = batches.next()
      val from = InputFiles.current
      if (from ne file) close()
      file = from
      whole = !batch.column(0).hasNull
      if (whole) read(batch.column(0), batch.numRows())
    }
    close()
    if (whole) Some((arrived - ArrivalNumber.first(partition), runs.toArray)) else None
  }

  private def read(times: ColumnVector, count: Int): Unit = {
    var i = 0
    while (i < count) {
      val time = times.getLong(i)
      if (arrived == start) first = time
      else if (time < last) {
        close()
        first = time
      }
      last = time
      arrived += 1
      i += 1
    }
  }

  private def close(): Unit = {
    if (arrived > start && runs.length < most)
      runs += Run(partition, arrived - start, row(first, start), row(last, arrived - 1))
    start = arrived
  }

  private def row(time: Long, arrival: Long): UnsafeRow = {
    val row = UnsafeRow.createFromByteArray(UnsafeRow.calculateBitSetWidthInBytes(2) + 16, 2)
    row.setLong(0, time)
    row.setLong(1, arrival)
    row
  }
}
