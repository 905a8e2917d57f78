package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.BooleanType
import org.sparkcsql.analyze.Carrying
import org.sparkcsql.kernel.{Reach, SlidePass}
import org.sparkcsql.plan.PlaceColumns

/** Hosts the kernel's sliding pass: a pass for each key, each key's tuples in order. */
final case class SlideAggregateExec(
    key: Seq[Attribute],
    order: Seq[Attribute],
    evaluation: Seq[Attribute],
    evaluationTime: Option[Attribute],
    enter: Option[Attribute],
    leave: Option[Attribute],
    time: Option[Attribute],
    reach: Reach,
    single: Boolean,
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
  override def requiredChildOrdering: Seq[Seq[SortOrder]] = {
    val together = if (single) order else Carrying.distinct(evaluation ++ key ++ order)
    Seq(Spot.ordering(key, together))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val task = new SlideTask(this)
    child.execute().mapPartitionsWithIndex((partition, rows) => task(partition, rows))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SlideAggregateExec =
    copy(child = newChild)
}

private final class SlideTask(exec: SlideAggregateExec) extends Serializable {
  val (key, evaluation, place, reach) =
    (exec.key, exec.evaluation, PlaceColumns(exec.enter, exec.leave, exec.time), exec.reach)
  val (single, scattered, fresh, evaluationTime) =
    (exec.single, exec.scattered, exec.fresh, exec.evaluationTime)
  val (aggregates, input) = (exec.aggregates, exec.child.output)

  def apply(partition: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] =
    new SlideIterator(this, partition, rows)
}

/** Rows are used again by what gives them, so a row that is looked at after the next one is a copy. */
private final class SlideIterator(task: SlideTask, partition: Int, rows: Iterator[InternalRow])
    extends Iterator[InternalRow] {
  import task._

  private val functions = new WindowAggregates(aggregates, input, partials = false, partition)
  private val readPlace = new PlaceReader(place, input)
  private val timeOrdinal = Ordinals.of(evaluationTime, input)
  private val leaves = place.leave.isDefined || reach.length != Reach.Endless
  private val passes =
    new ByKey(key, input, () => new SlidePass(functions.newState(reach, leaves, scattered)))
  private val evaluationOf = UnsafeProjection.create(evaluation, input)
  private val project = UnsafeProjection.create(
    input ++ aggregates.map(_.resultAttribute) :+ fresh,
    input ++ functions.resultAttributes :+ fresh)
  private val freshRow = new SpecificInternalRow(Seq(BooleanType))
  private val withFresh = new JoinedRow
  private val whole = new JoinedRow

  private var ahead: InternalRow = null

  override def hasNext: Boolean = ahead != null || rows.hasNext

  override def next(): InternalRow = {
    var row = if (ahead != null) ahead else rows.next()
    ahead = null
    val pass = passes(row)
    val first = readPlace(row)
    val isFresh = pass.arrive(first.enter, if (timeOrdinal < 0) Long.MaxValue else row.getLong(timeOrdinal))
    pass.insert(first, row)
    if (!single) row = insertCompany(row.copy(), pass)
    freshRow.setBoolean(0, isFresh)
    project(whole(row, withFresh(pass.current, freshRow)))
  }

  /** Takes in the other rows of the same arrival; the last of them, or `row` if it is alone. */
  private def insertCompany(row: InternalRow, pass: SlidePass[InternalRow, InternalRow]): InternalRow = {
    val arrival = evaluationOf(row).copy()
    var last = row
    while (ahead == null && rows.hasNext) {
      val following = rows.next()
      if (evaluationOf(following) == arrival && (passes(following) eq pass)) {
        last = following.copy()
        pass.insert(readPlace(last), last)
      } else ahead = following.copy()
    }
    last
  }
}
