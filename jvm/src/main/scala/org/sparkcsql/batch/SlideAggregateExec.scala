package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SortExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLShuffleReadMetricsReporter}
import org.apache.spark.sql.types.BooleanType
import org.sparkcsql.analyze.Carrying
import org.sparkcsql.kernel.{Reach, SlidePass}
import org.sparkcsql.plan.PlaceColumns

/**
 * Hosts the kernel's sliding pass: a pass for each key, each key's tuples in order.
 *
 * @param stored if the rows are those of files: where they stand in order they are not sorted
 */
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
    last: Option[Long],
    fresh: Attribute,
    aggregates: Seq[AggregateExpression],
    values: Seq[Attribute],
    @transient stored: Option[StoredRuns],
    child: SparkPlan)
    extends UnaryExecNode
    with LooksAtRuns {

  override def output: Seq[Attribute] = child.output ++ values :+ fresh
  override def producedAttributes: AttributeSet =
    AttributeSet((values :+ fresh) ++ aggregates.map(_.resultAttribute))

  override def requiredChildDistribution: Seq[Distribution] =
    if (stored.isDefined) UnspecifiedDistribution :: Nil
    else if (key.isEmpty) AllTuples :: Nil
    else ClusteredDistribution(key) :: Nil
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (stored.isDefined) Nil else Spot.roughly(key, together))

  override lazy val metrics: Map[String, SQLMetric] =
    if (stored.isDefined) SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext) else Map.empty

  /** The order is asked for only where rows are sorted, and stored rows are then read once more. */
  @transient override lazy val references: AttributeSet =
    if (stored.isDefined) AttributeSet.fromAttributeSets(expressions.map(_.references)) -- order
    else super.references

  private def together: Seq[Attribute] =
    if (single) order else Carrying.distinct(evaluation ++ key ++ order)

  override protected def doExecute(): RDD[InternalRow] = stored match {
    case None => slide(child)
    case Some(rows) =>
      val inRuns =
        found(rows).runs.map(new RunsByKey(_, conf.numShufflePartitions))
          .filter(_.fits(sparkContext.defaultParallelism))
      inRuns match {
        case Some(runs) =>
          val task = new SlideTask(this, child.output, mixed = true)
          runs(child.execute(), child.output, key, metrics).mapPartitionsWithIndex(task(_, _))
        case None =>
          val spread = HashPartitioning(key, conf.numShufflePartitions)
          slide(
            SortExec(
              Spot.roughly(key, together),
              global = false,
              ShuffleExchangeExec(spread, rows.runs.read(session))))
      }
  }

  private def slide(rows: SparkPlan): RDD[InternalRow] = {
    val task = new SlideTask(this, rows.output, mixed = false)
    val inOrder = InOrder(Spot.exactly(key, together), rows)
    rows.execute().mapPartitionsWithIndex((partition, part) => task(partition, inOrder(part)))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SlideAggregateExec =
    copy(child = newChild)
}

/** @param mixed whether keys come in any order; otherwise in that of [[Spot]] */
private final class SlideTask(exec: SlideAggregateExec, val input: Seq[Attribute], mixed: Boolean)
    extends Serializable {
  val (key, evaluation, place, reach) =
    (exec.key, exec.evaluation, PlaceColumns(exec.enter, exec.leave, exec.time), exec.reach)
  val (single, scattered, last, fresh, evaluationTime) =
    (exec.single, exec.scattered, exec.last, exec.fresh, exec.evaluationTime)
  val (aggregates, shown) = (exec.aggregates, exec.child.output)

  def apply(partition: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val functions = new WindowAggregates(aggregates, input, partials = false, partition)
    val leaves = place.leave.isDefined || reach.length != Reach.Endless
    def create() =
      new SlidePass(last.fold(functions.newState(reach, leaves, scattered))(functions.lastTuples))
    val source =
      if (mixed) new MixedPasses(key, input, rows, create _) else new SortedPasses(key, input, rows, create _)
    new SlideIterator(this, functions, source)
  }
}

/** Rows are used again by what gives them, so a row that is looked at after the next one is a copy. */
private final class SlideIterator(task: SlideTask, functions: WindowAggregates, rows: KeyedPasses)
    extends Iterator[InternalRow] {
  import task._

  private val readPlace = new PlaceReader(place, input)
  private val timeOrdinal = Ordinals.of(evaluationTime, input)
  private val evaluationOf = UnsafeProjection.create(evaluation, input)
  private val project = UnsafeProjection.create(
    shown ++ aggregates.map(_.resultAttribute) :+ fresh,
    input ++ functions.resultAttributes :+ fresh)
  private val freshRow = new SpecificInternalRow(Seq(BooleanType))
  private val withFresh = new JoinedRow
  private val whole = new JoinedRow

  private var ahead: InternalRow = null

  override def hasNext: Boolean = ahead != null || rows.hasNext

  override def next(): InternalRow = {
    var row = if (ahead != null) ahead else rows.next()
    ahead = null
    val pass = rows.of(row)
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
      if (evaluationOf(following) == arrival && (rows.of(following) eq pass)) {
        last = following.copy()
        pass.insert(readPlace(last), last)
      } else ahead = following.copy()
    }
    last
  }
}
