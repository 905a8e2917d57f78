package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.BooleanType
import org.sparkcsql.kernel.{Arrival, Item, Reach, SlidePass}
import org.sparkcsql.plan.PlaceColumns

/** Hosts the kernel's sliding pass: one key after another, each key's tuples in order. */
final case class SlideAggregateExec(
    key: Seq[Attribute],
    order: Seq[Attribute],
    evaluation: Seq[Attribute],
    evaluationTime: Option[Attribute],
    enter: Option[Attribute],
    leave: Option[Attribute],
    time: Option[Attribute],
    reach: Reach,
    scattered: Boolean,
    fresh: Attribute,
    aggregates: Seq[AggregateExpression],
    values: Seq[Attribute],
    child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output ++ values :+ fresh
  override def producedAttributes: AttributeSet =
    AttributeSet((values :+ fresh) ++ aggregates.map(_.resultAttribute))

  override def requiredChildDistribution: Seq[Distribution] =
    if (key.isEmpty) AllTuples :: Nil else ClusteredDistribution(key) :: Nil
  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq((key ++ order).map(SortOrder(_, Ascending)))

  override protected def doExecute(): RDD[InternalRow] = {
    val task = new SlideTask(this)
    child.execute().mapPartitionsWithIndex((partition, rows) => task(partition, rows))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SlideAggregateExec =
    copy(child = newChild)
}

private final class SlideTask(exec: SlideAggregateExec) extends Serializable {
  private val (key, evaluation, place, reach) =
    (exec.key, exec.evaluation, PlaceColumns(exec.enter, exec.leave, exec.time), exec.reach)
  private val (scattered, fresh, evaluationTime) = (exec.scattered, exec.fresh, exec.evaluationTime)
  private val (aggregates, input) = (exec.aggregates, exec.child.output)

  def apply(partition: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val functions = new WindowAggregates(aggregates, input, partials = false, partition)
    val readPlace = new PlaceReader(place, input)
    val timeOrdinal = Ordinals.of(evaluationTime, input)
    val evaluationOf = UnsafeProjection.create(evaluation, input)
    val leaves = place.leave.isDefined || reach.length != Reach.Endless
    val project = UnsafeProjection.create(
      input ++ aggregates.map(_.resultAttribute) :+ fresh,
      input ++ functions.resultAttributes :+ fresh)
    val freshRow = new SpecificInternalRow(Seq(BooleanType))
    val withFresh = new JoinedRow
    val whole = new JoinedRow

    def arrivals(group: Iterator[InternalRow]): Iterator[Arrival[InternalRow]] = {
      val source = group.buffered
      new Iterator[Arrival[InternalRow]] {
        override def hasNext: Boolean = source.hasNext
        override def next(): Arrival[InternalRow] = {
          val items = new ArrayBuffer[Item[InternalRow]](1)
          val arrival = evaluationOf(source.head).copy()
          while (source.hasNext && evaluationOf(source.head) == arrival) {
            val row = source.next().copy()
            items += Item(readPlace(row), row)
          }
          val at = items.last
          val time = if (timeOrdinal < 0) Long.MaxValue else at.row.getLong(timeOrdinal)
          Arrival(items.toSeq, at.place.enter, time)
        }
      }
    }

    KeyedRows(rows, UnsafeProjection.create(key, input)).flatMap { case (_, group) =>
      val state = functions.newState(reach, leaves, scattered)
      new SlidePass(state).run(arrivals(group)).map { case (arrival, isFresh, values) =>
        freshRow.setBoolean(0, isFresh)
        project(whole(arrival.items.last.row, withFresh(values, freshRow)))
      }
    }
  }
}
