package org.sparkcsql.batch

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.sparkcsql.kernel.{Edges, Instants}

/** Gives each row the end of its slice, and drops rows that no window holds. */
final case class SliceExec(
    place: Attribute,
    at: Attribute,
    lag: Long,
    length: Long,
    end: Attribute,
    left: SparkPlan,
    right: SparkPlan)
    extends BinaryExecNode {
  override def output: Seq[Attribute] = left.output :+ end
  override def producedAttributes: AttributeSet = AttributeSet(end)
  override def outputPartitioning: Partitioning = left.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = left.outputOrdering
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(UnspecifiedDistribution, BroadcastDistribution(IdentityBroadcastMode))

  override protected def doExecute(): RDD[InternalRow] = {
    val points: Broadcast[Array[InternalRow]] = right.executeBroadcast()
    val (columns, withEnd) = (left.output, output)
    val (placeOrdinal, atOrdinal) =
      (Ordinals.of(Some(place), left.output), Ordinals.of(Some(at), right.output))
    val (behind, extent) = (lag, length)
    left.execute().mapPartitions { rows =>
      val edges = SliceExec.edges(points.value, atOrdinal, behind, extent)
      val project = UnsafeProjection.create(withEnd, columns :+ withEnd.last)
      val joined = new JoinedRow
      val endRow = new SpecificInternalRow(Seq(withEnd.last.dataType))
      val seen = rows.filter { row =>
        endRow.setLong(0, edges.endOf(row.getLong(placeOrdinal)))
        endRow.getLong(0) != Edges.Unseen
      }
      seen.map(row => project(joined(row, endRow)))
    }
  }

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): SliceExec =
    copy(left = newLeft, right = newRight)
}

private object SliceExec {
  def edges(points: Array[InternalRow], at: Int, lag: Long, length: Long): Edges = {
    val highs = points.map(point => Instants.minus(point.getLong(at), lag))
    java.util.Arrays.sort(highs)
    new Edges(highs.map(Instants.minus(_, length)), highs)
  }
}
