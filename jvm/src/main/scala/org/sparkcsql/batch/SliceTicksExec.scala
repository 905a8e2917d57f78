package org.sparkcsql.batch

import java.util.HashSet

import scala.jdk.CollectionConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * The ticks that see the rows of some slices. It asks for slices spread as [[JumpAggregateExec]] does,
 * so that both read them from one shuffle and the stream itself is read once.
 *
 * @param ticks the columns of the points, as made of the slice
 */
final case class SliceTicksExec(
    grouping: Seq[Attribute],
    slice: Attribute,
    ticks: Seq[NamedExpression],
    child: SparkPlan)
    extends UnaryExecNode {
  override def output: Seq[Attribute] = ticks.map(_.toAttribute)
  override def requiredChildDistribution: Seq[Distribution] =
    if (grouping.isEmpty) AllTuples :: Nil else ClusteredDistribution(grouping) :: Nil

  override protected def doExecute(): RDD[InternalRow] = {
    val (ordinal, place, columns) = (Ordinals.of(Some(slice), child.output), slice, ticks)
    child.execute().mapPartitions { rows =>
      val slices = new HashSet[Long]
      rows.foreach(row => slices.add(row.getLong(ordinal)))
      val project = UnsafeProjection.create(columns, Seq(place))
      val sliceRow = new SpecificInternalRow(Seq(place.dataType))
      slices.iterator.asScala.map { instant =>
        sliceRow.setLong(0, instant)
        project(sliceRow)
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SliceTicksExec = copy(child = newChild)
}
