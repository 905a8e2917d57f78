package org.sparkcsql.analyze

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.LongType
import org.sparkcsql.batch.BatchLowering
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.changes.ItemPace
import org.sparkcsql.plan._
import org.sparkcsql.stream.StreamLowering

/**
 * A stream of a query, as it was found.
 *
 * @param inSubquery whether it stands in a subquery of a condition
 */
private[analyze] final case class StreamItem(
    stream: OrderedStream,
    window: ResolvedWindow,
    columns: Seq[Attribute],
    inSubquery: Boolean,
    clause: Option[WindowClause],
    relation: LogicalPlan) {
  def at: Origin = clause.map(_.at).getOrElse(relation.origin)
  def name: String = Algebra.name(relation)
  def isUnbounded: Boolean = window.extent match {
    case Extent.Between(_, None) => true
    case _ => false
  }
}

/** The streams and tables of a query, brought to two inputs: rows of all streams, and rows of all tables. */
private[analyze] final class RelationInputs(needed: AttributeSet) {
  val streams = new ArrayBuffer[StreamItem]
  val tables = new ArrayBuffer[LogicalPlan]

  def add(relation: LogicalPlan, clause: Option[WindowClause], inSubquery: Boolean): (Int, Seq[Attribute]) = {
    val ordered = StreamOrders.of(relation, clause.flatMap(_.on))
    val resolver = new WindowResolver(ordered, relation)
    val (stream, window) = clause match {
      case Some(lone) if lone.shape.isEmpty =>
        val frequency = resolver.frequency(lone.frequency.get, relation.output)
        val keys = new KeyColumns(frequency.partitionBy)
        val sampled =
          if (relation.isStreaming) StreamLowering.sample(ordered.keyed(keys), frequency.by(keys))
          else BatchLowering.sample(ordered.keyed(keys), frequency.by(keys))
        (sampled, RelationInputs.unbounded)
      case Some(written) => (ordered, resolver.window(written))
      case None => (ordered, RelationInputs.unbounded)
    }
    refusePartitioned(window, clause)
    val keys = new KeyColumns(RelationInputs.partition(window))
    val counted = keys(RelationInputs.partition(window))
    val columns =
      relation.output.filter(c => needed.contains(c) || counted.contains(c)) ++ keys.added.map(_.toAttribute)
    streams += StreamItem(stream.keyed(keys), window.by(keys), columns, inSubquery, clause, relation)
    (streams.size - 1, columns)
  }

  def addTable(table: LogicalPlan): (Int, Seq[Attribute]) = {
    val columns = table.output.filter(needed.contains)
    tables += Project(columns, table.transform { case SubqueryPart(child) => child })
    (tables.size - 1, columns)
  }

  /** Each substream jumps on its own, so there would be no one relation at a time. */
  private def refusePartitioned(window: ResolvedWindow, clause: Option[WindowClause]): Unit =
    if (window.frequency.partitionBy.nonEmpty && window.frequency.pace != Pace.EachTuple)
      CsqlErrors.analysis("CSQL_JUMP_PARTITIONED", clause.flatMap(_.frequency).get.at)

  /** The time that the streams are merged by. */
  lazy val time: Option[StreamTime] = {
    val (timed, latent) = streams.partition(_.stream.time.isDefined)
    if (latent.size > 1) CsqlErrors.analysis("CSQL_STREAMS_LATENT", latent(1).at)
    // all integers count the same
    val types =
      timed.map(_.stream.time.get.dataType).map(t => if (TimeAxis.isInteger(t)) LongType else t).distinct
    if (types.size > 1 || (latent.nonEmpty && timed.nonEmpty)) {
      val told = types.map(_.sql) ++ (if (latent.nonEmpty) Seq("none") else Nil)
      CsqlErrors.analysis("CSQL_TIME_TYPES_DIFFER", streams.last.at, "types" -> told.mkString(", "))
    }
    timed.headOption.flatMap(_.stream.time)
  }

  def isStreaming: Boolean = streams.exists(_.stream.plan.isStreaming)

  lazy val clock: StreamClock = {
    streams.find(s => isStreaming && !s.stream.plan.isStreaming).foreach(refuseEnded)
    val clocks = streams.map(_.stream.clock)
    val watermarks = clocks.collect { case clock: StreamClock.Watermark => clock }
    if (watermarks.nonEmpty && watermarks.size < clocks.size)
      streams.find(!_.stream.clock.isInstanceOf[StreamClock.Watermark]).foreach(refuseClock)
    watermarks.headOption.fold(clocks.head)(_.copy(shortened = watermarks.forall(_.shortened)))
  }

  private def refuseEnded(item: StreamItem): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    item.at,
    "what" -> "A join of a stream that grows with a stream that is a table",
    "hint" -> "Read both as streams, or join the table without a window."
  )

  private def refuseClock(item: StreamItem): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    item.at,
    "what" -> "A join of a stream that is stamped on arrival with one that has a time of its own",
    "hint" -> "Order both by a column of their rows, or both by current_time."
  )

  /** The streams by the order in which their tuples of equal time come: those of subqueries first. */
  lazy val byTag: Seq[Int] = streams.indices.sortBy(i => !streams(i).inSubquery)

  /** @param key for each part of the key, what it is in each stream as it was found */
  def merged(key: Seq[Seq[Expression]]): MergedStreams =
    MergedStreams.of(byTag.map(streams(_)), time, key.map(part => byTag.map(part)))

  /** The numbered input of the operator for each stream as it was found. */
  def input(item: StreamItem, slots: Seq[Int], evaluates: Boolean): RelationInput = {
    val pace = item.window.frequency.pace match {
      case Pace.EachTuple => ItemPace.Slides
      case Pace.EveryTuples(count) => ItemPace.EveryTuples(count)
      case Pace.Ticks(grid) => ItemPace.Ticks(grid)
    }
    val extent = item.window.extent match {
      case Extent.Time(length, lag) => ItemExtent.Time(length, lag)
      case Extent.Between(from, until) =>
        ItemExtent.Band(from.getOrElse(Long.MinValue), until.getOrElse(Long.MaxValue))
      case Extent.Tuples(count, lag, _) =>
        val by = RelationInputs.partition(item.window)
        ItemExtent.Tuples(count, lag, by.map(c => item.columns.indexWhere(_.exprId == c.exprId)))
    }
    RelationInput(extent, pace, slots, evaluates)
  }
}

private[analyze] object RelationInputs {
  val unbounded: ResolvedWindow =
    ResolvedWindow(Extent.Unbounded, ResolvedFrequency(Pace.EachTuple, Nil))

  def partition(window: ResolvedWindow): Seq[Attribute] = window.extent match {
    case Extent.Tuples(_, _, by) => Carrying.distinct(window.frequency.partitionBy ++ by)
    case _ => Nil
  }
}
