package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan, UnaryNode}
import org.sparkcsql.kernel.{Grid, Reach}

/**
 * Numbers the rows 1, 2, … in the order of `order`, which is total. Rows that already stand in that
 * order (a stream ordered by arrival) are not sorted again.
 *
 * @param shared what the readers of this numbered stream find out about its rows once for all of them
 */
final case class Numbered(
    order: Seq[Attribute],
    inArrivalOrder: Boolean,
    number: Attribute,
    shared: SharedRuns,
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output :+ number
  override def producedAttributes: AttributeSet = AttributeSet(number)
  // All readers of one shuffled stream must read the same columns, or it is shuffled for each of them.
  override lazy val references: AttributeSet =
    if (StableRows(child)) AttributeSet(order) else child.outputSet
  override protected def doCanonicalize(): LogicalPlan = super.doCanonicalize() match {
    case numbered: Numbered => numbered.copy(shared = SharedRuns.none)
    case other => other
  }
  override protected def withNewChildInternal(newChild: LogicalPlan): Numbered = copy(child = newChild)
}

/** Numbers the rows of equal `keys` 1, 2, … in the order of `order`. */
final case class NumberedWithin(
    keys: Seq[Attribute],
    order: Seq[Attribute],
    number: Attribute,
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output :+ number
  override def producedAttributes: AttributeSet = AttributeSet(number)
  override protected def withNewChildInternal(newChild: LogicalPlan): NumberedWithin = copy(child = newChild)
}

/*
 * Catalyst rewrites and prunes only columns that are direct fields of a node, so the nodes below
 * hold each column of a place and of a point on its own.
 */

/** The columns that hold a tuple's place (see the kernel's Reach); an axis that is not used has none. */
final case class PlaceColumns(enter: Option[Attribute], leave: Option[Attribute], time: Option[Attribute]) {
  def attributes: Seq[Attribute] = enter.toSeq ++ leave ++ time
}

/** The columns that hold an evaluation point. Ticks run from `time` to `lastTick` by `step`. */
final case class PointColumns(
    seq: Option[Attribute],
    time: Option[Attribute],
    lastTick: Option[Attribute],
    step: Long) {
  def attributes: Seq[Attribute] = seq.toSeq ++ time ++ lastTick
}

/**
 * Aggregates at each arrival, for the group that the arriving tuple belongs to.
 *
 * @param key what a window and a group are separate for: substream and grouping columns
 * @param order the order of the tuples inside a key
 * @param evaluation the columns that tell one arrival from another
 * @param evaluationTime the time of the arrival, when it has one
 * @param single whether each row is an arrival of its own
 * @param scattered whether tuples may leave in another order than they came
 * @param last how many tuples of the key the window holds, if that is all there is to say of it
 * @param fresh an output column: the window held nothing of this group before this arrival
 * @param functions the aggregates …
 * @param values … and their results, beside the columns of the arriving tuple
 */
final case class SlideAggregate(
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
    functions: Seq[Expression],
    values: Seq[Attribute],
    child: LogicalPlan)
    extends UnaryNode {
  def place: PlaceColumns = PlaceColumns(enter, leave, time)
  override def output: Seq[Attribute] = child.output ++ values :+ fresh
  override def producedAttributes: AttributeSet = AttributeSet(values :+ fresh)
  override protected def withNewChildInternal(newChild: LogicalPlan): SlideAggregate = copy(child = newChild)
}

/**
 * Aggregates at given points, all groups at each. The left side are the rows, the right side the points.
 *
 * @param substream the columns that a partitioned frequency counts by, on the left …
 * @param pointSubstream … and on the right
 * @param preAggregate whether rows of equal place may be merged before they are shuffled
 * @param ownTicks the grid of the points, if they are the ticks that see the rows of the left side
 */
final case class JumpAggregate(
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
    preAggregate: Boolean,
    ownTicks: Option[Grid],
    functions: Seq[Expression],
    values: Seq[Attribute],
    left: LogicalPlan,
    right: LogicalPlan)
    extends BinaryNode {
  def place: PlaceColumns = PlaceColumns(enter, leave, time)
  def points: PointColumns = PointColumns(pointSeq, pointTime, lastTick, step)
  override def output: Seq[Attribute] = grouping ++ values ++ right.output
  override def producedAttributes: AttributeSet = AttributeSet(values)
  override protected def withNewChildrenInternal(newLeft: LogicalPlan, newRight: LogicalPlan): JumpAggregate =
    copy(left = newLeft, right = newRight)
}

/**
 * Gives each row on the left the end of its slice: all rows between two edges of windows are in the
 * same windows. The windows end `lag` before the points on the right and are `length` long. Rows
 * that no window holds are dropped.
 *
 * @param place where a row stands, on the axis of the window …
 * @param at … and where a point does
 */
final case class Sliced(
    place: Attribute,
    at: Attribute,
    lag: Long,
    length: Long,
    end: Attribute,
    left: LogicalPlan,
    right: LogicalPlan)
    extends BinaryNode {
  override def output: Seq[Attribute] = left.output :+ end
  override def producedAttributes: AttributeSet = AttributeSet(end)
  // With all columns the points are those that the block evaluates at, and Spark makes them once.
  override lazy val references: AttributeSet = AttributeSet(Seq(place, at)) ++ right.outputSet
  override protected def withNewChildrenInternal(newLeft: LogicalPlan, newRight: LogicalPlan): Sliced =
    copy(left = newLeft, right = newRight)
}

/** The rows in the window at each point, without aggregation: each row beside each point that sees it. */
final case class JumpSelect(
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
    left: LogicalPlan,
    right: LogicalPlan)
    extends BinaryNode {
  def place: PlaceColumns = PlaceColumns(enter, leave, time)
  def points: PointColumns = PointColumns(pointSeq, pointTime, lastTick, step)
  override def output: Seq[Attribute] = left.output ++ right.output
  override protected def withNewChildrenInternal(newLeft: LogicalPlan, newRight: LogicalPlan): JumpSelect =
    copy(left = newLeft, right = newRight)
}
