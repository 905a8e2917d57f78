package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Project}
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.Grid
import org.sparkcsql.plan.{JumpAggregate, JumpSelect}

/** A block that answers at jumps, with all rows of its answer over the window at that jump. */
private[batch] object Jumping {
  import Expressions._

  def select(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer = {
    val placed = Placement.jumping(window, stream)
    val points = Evaluations(window, placed)
    val substream = window.frequency.partitionBy
    val rows = from(block, window, placed, placed.columns ++ substream, orderTables = true)
    val node = JumpSelect(
      substream = substream,
      pointSubstream = points.substream,
      enter = placed.place.enter,
      leave = placed.place.leave,
      time = placed.place.time,
      pointSeq = points.columns.seq,
      pointTime = points.columns.time,
      lastTick = points.columns.lastTick,
      step = points.columns.step,
      reach = placed.reach,
      left = rows.plan,
      right = points.plan
    )
    Answer(
      node,
      block.from.output,
      points.time,
      points.evaluation,
      rows.order,
      AnswerColumns.hiddenInputs(block))
  }

  def aggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer = {
    val placed = Placement.jumping(window, stream)
    val points = Evaluations(window, placed)
    val substream = window.frequency.partitionBy
    val slices = if (Slices.fit(grouping, substream)) Slices.of(window, placed, points) else None
    val merged = slices.getOrElse(placed)
    val columns = if (slices.isDefined) merged.place.attributes else merged.columns
    val rows = from(block, window, merged, columns ++ substream, orderTables = slices.isEmpty)
    val empty =
      Answer(rows.plan, Nil, points.time, points.evaluation, grouping.keys, AnswerColumns.hiddenInputs(block))
    val node = JumpAggregate(
      substream = substream,
      pointSubstream = points.substream,
      grouping = grouping.keys,
      order = if (slices.isDefined) Nil else entering(merged) ++ rows.order,
      enter = merged.place.enter,
      leave = merged.place.leave,
      time = merged.place.time,
      pointSeq = points.columns.seq,
      pointTime = points.columns.time,
      lastTick = points.columns.lastTick,
      step = points.columns.step,
      reach = merged.reach,
      scattered = merged.scattered,
      preAggregate = slices.isDefined,
      ownTicks = slices.flatMap(_ => ownTicks(block, window)),
      functions = grouping.functions,
      values = grouping.values,
      left = withColumns(rows.plan, grouping.computed),
      right = points.plan
    )
    val list = grouping.list.map(empty.timed(_))
    empty.copy(
      plan = Project(Carrying.append(list, empty.hidden), node),
      visible = list.map(_.toAttribute))
  }

  /** Ticks are computed before WHERE. Where nothing is left out, the slices of the rows tell them as well. */
  private def ownTicks(block: Block, window: ResolvedWindow): Option[Grid] =
    (window.extent, window.frequency) match {
      case (_: Extent.Time, ResolvedFrequency(Pace.Ticks(grid), Nil))
          if Carrying.keepsRows(block.from, block.relation, all = true) => Some(grid)
      case _ => None
    }

  /** Tuples of lagging substreams do not enter the window in the order of the stream. */
  private def entering(placed: PlacedStream): Seq[Attribute] =
    if (placed.changing.isDefined) placed.place.enter.toSeq else Nil

  /** The rows of FROM and WHERE, without those that no window ever holds. */
  private def from(
      block: Block,
      window: ResolvedWindow,
      placed: PlacedStream,
      columns: Seq[Attribute],
      orderTables: Boolean): Carried = {
    val bounded = Placement.bounded(window.extent, placed.stream.plan, placed.stream)
    val needed = Slices.everSeen(window, placed).fold(bounded)(Filter(_, bounded))
    val order = if (orderTables) placed.stream.order.columns else Nil
    Carrying.through(block.from, block.relation, needed, Carrying.distinct(columns), order, orderTables)
  }
}
