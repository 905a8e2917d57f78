package org.sparkcsql.batch

import scala.jdk.CollectionConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.sparkcsql.kernel.{Item, JumpPass, Reach}
import org.sparkcsql.plan.{JumpAggregate, PlaceColumns}

/** Hosts the kernel's jumping pass: one group after another, each at all points of its substream. */
final case class JumpAggregateExec(
    substream: Seq[Attribute],
    pointSubstream: Seq[Attribute],
    grouping: Seq[Attribute],
    order: Seq[Attribute],
    enter: Option[Attribute],
    leave: Option[Attribute],
    time: Option[Attribute],
    pointSeq: Option[Attribute],
    pointTime: Option[Attribute],
    lastTick: Option[Attribute],
    step: Long,
    reach: Reach,
    scattered: Boolean,
    partials: Boolean,
    aggregates: Seq[AggregateExpression],
    values: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan)
    extends JumpExec {
  override def output: Seq[Attribute] = grouping ++ values ++ right.output
  override def producedAttributes: AttributeSet = AttributeSet(values ++ aggregates.map(_.resultAttribute))

  override protected def rowDistribution: Distribution =
    if (grouping.isEmpty) AllTuples else ClusteredDistribution(grouping)
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((substream ++ grouping ++ order).map(SortOrder(_, Ascending)), Nil)

  override protected def doExecute(): RDD[InternalRow] = {
    val task = new JumpTask(this)
    withPoints((partition, rows, table) => task(partition, rows, table))
  }

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): JumpAggregateExec =
    copy(left = newLeft, right = newRight)
}

object JumpAggregateExec {
  def apply(
      node: JumpAggregate,
      partials: Boolean,
      aggregates: Seq[AggregateExpression],
      left: SparkPlan,
      right: SparkPlan): JumpAggregateExec = JumpAggregateExec(
    node.substream,
    node.pointSubstream,
    node.grouping,
    if (partials) node.place.attributes else node.order,
    node.enter,
    node.leave,
    node.time,
    node.pointSeq,
    node.pointTime,
    node.lastTick,
    node.step,
    node.reach,
    node.scattered,
    partials,
    aggregates,
    node.values,
    left,
    right
  )
}

private final class JumpTask(exec: JumpAggregateExec) extends Serializable {
  private val (input, pointOutput) = (exec.left.output, exec.right.output)
  private val (substream, grouping, reach) = (exec.substream, exec.grouping, exec.reach)
  private val place = PlaceColumns(exec.enter, exec.leave, exec.time)
  private val (scattered, partials) = (exec.scattered, exec.partials)
  private val aggregates = exec.aggregates

  def apply(partition: Int, rows: Iterator[InternalRow], table: PointTable): Iterator[InternalRow] = {
    val functions = new WindowAggregates(aggregates, input, partials, partition)
    val readPlace = new PlaceReader(place, input)
    val leaves = place.leave.isDefined || reach.length != Reach.Endless
    val substreamOf = UnsafeProjection.create(substream, input)
    val groupOf = UnsafeProjection.create(grouping, input)
    val project = UnsafeProjection.create(
      grouping ++ aggregates.map(_.resultAttribute) ++ pointOutput,
      grouping ++ functions.resultAttributes ++ pointOutput)
    val withGroup = new JoinedRow
    val whole = new JoinedRow
    val waiting = new java.util.HashSet[UnsafeRow](table.substreams)

    def evaluate(key: UnsafeRow, group: InternalRow, items: Iterator[Item[InternalRow]]) = {
      val points = table(key)
      val state = functions.newState(reach, leaves, scattered)
      new JumpPass(reach, points.points, state, alsoWhenEmpty = grouping.isEmpty).run(items).map {
        case (i, values) => project(whole(withGroup(group, values), points.row(i)))
      }
    }

    val answered =
      KeyedRows(rows, UnsafeProjection.create(substream ++ grouping, input)).flatMap { case (_, group) =>
        val source = group.buffered
        val key = substreamOf(source.head).copy()
        val values = groupOf(source.head).copy()
        waiting.remove(key)
        evaluate(key, values, source.map(row => Item(readPlace(row), row)))
      }
    // Without GROUP BY an evaluation answers also when WHERE left its substream no row at all.
    def unanswered = waiting.asScala.iterator.flatMap(key => evaluate(key, InternalRow.empty, Iterator.empty))
    if (grouping.isEmpty) answered ++ unanswered else answered
  }
}
