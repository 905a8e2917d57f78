package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.{Instants, Reach}
import org.sparkcsql.plan.PlaceColumns

/**
 * A stream whose tuples carry what a window needs to know of them.
 *
 * @param number each tuple's number in the stream or in its substream, where the window counts
 * @param scattered whether tuples may leave the window in another order than they came
 * @param changing a count that must exceed the lag for an arrival to change the window, if not `number`
 */
private[sparkcsql] final case class PlacedStream(
    stream: OrderedStream,
    place: PlaceColumns,
    reach: Reach,
    number: Option[Attribute],
    scattered: Boolean,
    changing: Option[Attribute] = None) {

  /** The columns that must reach the operator. */
  def columns: Seq[Attribute] = stream.order.columns ++ place.attributes
}

private[sparkcsql] object Placement {
  import Expressions._

  /** Only tuples inside a landmark or band are ever in the window. */
  def insideBounds(extent: Extent, stream: OrderedStream): Option[Expression] = extent match {
    case Extent.Between(from, until) if from.isDefined || until.isDefined =>
      val time = stream.time.get.column
      val conditions =
        from.map(f => GreaterThanOrEqual(time, long(f))) ++ until.map(u => LessThanOrEqual(time, long(u)))
      Some(conditions.reduce[Expression](And(_, _)))
    case _ => None
  }

  def bounded(extent: Extent, plan: LogicalPlan, stream: OrderedStream): LogicalPlan =
    insideBounds(extent, stream).fold(plan)(Filter(_, plan))

  /** No places, for a window that needs to know none. */
  def anywhere(stream: OrderedStream): PlacedStream =
    PlacedStream(stream, PlaceColumns(None, None, None), Reach.untimed, None, scattered = false)

  /**
   * Places for a window that slides.
   *
   * @param determined the columns of which one pass sees only one value: substream and grouping
   */
  def sliding(window: ResolvedWindow, arrivals: Arrivals, determined: Seq[Attribute]): PlacedStream = {
    val stream = arrivals.stream
    window.extent match {
      case Extent.Tuples(count, lag, partitionBy) =>
        val keys = Carrying.distinct(window.frequency.partitionBy ++ partitionBy)
        val inOrder = keys.forall(key => determined.exists(_.exprId == key.exprId))
        arrivals.place match {
          case Some(place) => PlacedStream(stream, place, Reach.untimed, None, scattered = !inOrder)
          case None =>
            byTuples(stream, if (inOrder) keys else window.frequency.partitionBy, keys, inOrder, count, lag)
        }
      case Extent.Time(length, lag) =>
        val time = stream.time.map(_.column)
        PlacedStream(stream, PlaceColumns(None, None, time), Reach(lag, length), None, scattered = false)
      case between: Extent.Between =>
        val plan = bounded(between, stream.plan, stream)
        anywhere(stream.copy(plan = plan))
    }
  }

  /** Places for a window that jumps; see [[sliding]]. Landmarks and bands are cut by the caller. */
  def jumping(window: ResolvedWindow, stream: OrderedStream): PlacedStream = {
    val keys = window.frequency.partitionBy
    val ticking = window.frequency.pace.isInstanceOf[Pace.Ticks]
    window.extent match {
      case Extent.Tuples(count, lag, partitionBy) =>
        val rangeKeys = Carrying.distinct(keys ++ partitionBy)
        byTuples(stream, keys, rangeKeys, inOrder = rangeKeys.size == keys.size, count, lag)
      case extent =>
        val reach = extent match {
          case Extent.Time(length, lag) => Reach(lag, length)
          case _ => Reach.untimed
        }
        val time = stream.time.map(_.column)
        if (ticking) PlacedStream(stream, PlaceColumns(None, None, time), reach, None, scattered = false)
        else {
          val (plan, number) = Numbering(stream, keys)
          val timed = if (reach == Reach.untimed) None else time
          PlacedStream(
            stream.copy(plan = plan),
            PlaceColumns(Some(number), None, timed),
            reach,
            Some(number),
            scattered = false)
        }
    }
  }

  /** A tuple lives from its own number to the number at which enough later ones have come. */
  private def byTuples(
      stream: OrderedStream,
      numberKeys: Seq[Attribute],
      rangeKeys: Seq[Attribute],
      inOrder: Boolean,
      count: Long,
      lag: Long): PlacedStream = {
    val (numbered, number) = Numbering(stream, numberKeys)
    val life = Instants.plus(lag, count)
    val (plan, place) =
      if (inOrder) counted(numbered, number, lag, life)
      else pushedOut(numbered, number, lag, life, rangeKeys, stream.order.columns)
    if (inOrder || lag == 0)
      PlacedStream(stream.copy(plan = plan), place, Reach.untimed, Some(number), !inOrder)
    else {
      // Only an arrival whose substream is long enough to show a tuple changes such a window.
      val (counting, ownNumber) = numberWithin(rangeKeys, stream.order.columns, plan)
      val placed =
        PlacedStream(stream.copy(plan = counting), place, Reach.untimed, Some(number), scattered = true)
      placed.copy(changing = Some(ownNumber))
    }
  }

  /** Inside one substream a tuple's life is plain arithmetic. */
  def counted(plan: LogicalPlan, number: Attribute, lag: Long, life: Long): (LogicalPlan, PlaceColumns) = {
    val enter = Alias(if (lag == 0) number else Add(number, long(capped(lag))), "enter")()
    val leave = Alias(Add(number, long(capped(life))), "leave")()
    (
      withColumns(plan, Seq(enter, leave)),
      PlaceColumns(Some(enter.toAttribute), Some(leave.toAttribute), None))
  }

  /** Otherwise it ends at the number, in the whole stream, of the tuple of its own substream that pushes it out. */
  def pushedOut(
      plan: LogicalPlan,
      number: Attribute,
      lag: Long,
      life: Long,
      keys: Seq[Attribute],
      order: Seq[Attribute]): (LogicalPlan, PlaceColumns) = {
    val (leaving, leave) = ahead(number, life, Some(Long.MaxValue), keys, order, plan)
    val (entering, enter) =
      if (lag == 0) (leaving, number) else ahead(number, lag, Some(Long.MaxValue), keys, order, leaving)
    (entering, PlaceColumns(Some(enter), Some(leave), None))
  }

  /** No stream has that many tuples, and adding it to a tuple's number cannot overflow. */
  private def capped(count: Long): Long = math.min(count, Long.MaxValue / 2)
}
