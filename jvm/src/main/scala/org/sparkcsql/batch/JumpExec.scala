package org.sparkcsql.batch

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.BinaryExecNode
import org.sparkcsql.plan.PointColumns

/**
 * Rows on the left meet evaluation points on the right. Points of the whole stream are broadcast;
 * points of substreams are brought to their substream's rows.
 */
trait JumpExec extends BinaryExecNode {
  def substream: Seq[Attribute]
  def pointSubstream: Seq[Attribute]
  def pointSeq: Option[Attribute]
  def pointTime: Option[Attribute]
  def lastTick: Option[Attribute]
  def step: Long

  /** How the rows must be spread when the points are broadcast. */
  protected def rowDistribution: Distribution

  override def requiredChildDistribution: Seq[Distribution] =
    if (substream.isEmpty) Seq(rowDistribution, BroadcastDistribution(IdentityBroadcastMode))
    else Seq(ClusteredDistribution(substream), ClusteredDistribution(pointSubstream))

  protected def withPoints(
      task: (Int, Iterator[InternalRow], PointTable) => Iterator[InternalRow]): RDD[InternalRow] = {
    val (output, key, columns) =
      (right.output, pointSubstream, PointColumns(pointSeq, pointTime, lastTick, step))
    if (substream.isEmpty) {
      val shared: Broadcast[Array[InternalRow]] = right.executeBroadcast()
      left.execute().mapPartitionsWithIndex { (partition, rows) =>
        task(partition, rows, PointTable.build(shared.value.iterator, output, key, columns))
      }
    } else {
      left.execute().zipPartitions(right.execute()) { (rows, pointRows) =>
        val partition = org.apache.spark.TaskContext.getPartitionId()
        task(partition, rows, PointTable.build(pointRows, output, key, columns))
      }
    }
  }
}
