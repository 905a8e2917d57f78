package org.sparkcsql.batch

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.sparkcsql.stream._

/**
 * Several windows as relations that change, over tables: the tuples in order, then time runs on to
 * its end. The left side are the streams, the right side the tables beside them.
 */
final case class RelationWindowExec(spec: StreamSpec, left: SparkPlan, right: SparkPlan)
    extends BinaryExecNode {
  override def output: Seq[Attribute] = spec.output(left.output)
  override def producedAttributes: AttributeSet = AttributeSet(spec.values ++ spec.added)
  override def references: AttributeSet = left.outputSet ++ right.outputSet
  override def simpleString(maxFields: Int): String = s"RelationWindow ${spec.told}"
  override def verboseStringWithOperatorId(): String = s"$formattedNodeName\n${spec.told}\n"

  override def requiredChildDistribution: Seq[Distribution] = {
    val rows = if (spec.clustering.isEmpty) AllTuples else ClusteredDistribution(spec.clustering)
    rows :: BroadcastDistribution(IdentityBroadcastMode) :: Nil
  }
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((spec.key ++ spec.order).map(SortOrder(_, Ascending)), Nil)

  override protected def doExecute(): RDD[InternalRow] = {
    val (task, input) = (spec, left.output)
    val tables: Broadcast[Array[InternalRow]] = right.executeBroadcast()
    left.execute().mapPartitionsWithIndex((partition, rows) =>
      new TableRun(task, input, partition, rows, tables.value))
  }

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): RelationWindowExec =
    copy(left = newLeft, right = newRight)
}
