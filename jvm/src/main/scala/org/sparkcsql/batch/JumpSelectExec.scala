package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution.SparkPlan
import org.sparkcsql.kernel.Reach
import org.sparkcsql.plan.PlaceColumns

/** Puts each row beside each evaluation point whose window holds it. */
final case class JumpSelectExec(
    substream: Seq[Attribute],
    pointSubstream: Seq[Attribute],
    enter: Option[Attribute],
    leave: Option[Attribute],
    time: Option[Attribute],
    pointSeq: Option[Attribute],
    pointTime: Option[Attribute],
    lastTick: Option[Attribute],
    step: Long,
    reach: Reach,
    left: SparkPlan,
    right: SparkPlan)
    extends JumpExec {
  override def output: Seq[Attribute] = left.output ++ right.output
  override protected def rowDistribution: Distribution = UnspecifiedDistribution

  override protected def doExecute(): RDD[InternalRow] = {
    val (rowColumns, all, key, columns, window) =
      (left.output, output, substream, PlaceColumns(enter, leave, time), reach)
    withPoints { (_, rows, table) =>
      val readPlace = new PlaceReader(columns, rowColumns)
      val substreamOf = UnsafeProjection.create(key, rowColumns)
      val project = UnsafeProjection.create(all, all)
      val joined = new JoinedRow
      rows.flatMap { row =>
        val at = readPlace(row)
        val group = table(substreamOf(row))
        val first = group.points.firstSeeing(at, window, 0)
        Iterator
          .range(first, group.points.length)
          .takeWhile(i => !window.gone(at.leave, at.time, group.points.seq(i), group.points.time(i)))
          .map(i => project(joined(row, group.row(i))))
      }
    }
  }

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): JumpSelectExec =
    copy(left = newLeft, right = newRight)
}
