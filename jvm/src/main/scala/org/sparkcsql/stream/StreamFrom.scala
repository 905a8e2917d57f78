package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.sparkcsql.analyze._
import org.sparkcsql.batch.{Expressions, Placement}

/**
 * The rows that reach an operator, through FROM and WHERE.
 *
 * @param order what orders them, by the tuples of the FROM items
 */
private[stream] final case class StreamFrom(
    plan: LogicalPlan,
    order: Seq[Attribute],
    passes: Option[Attribute],
    inside: Option[Attribute]) {

  /** What orders the rows of one tuple. */
  def rowOrder(stream: OrderedStream): Seq[Attribute] =
    order.filterNot(c => stream.order.columns.exists(_.exprId == c.exprId))

  def withColumns(computed: Seq[Alias]): StreamFrom = {
    val flagged = Flagged(plan, Nil, Nil, passes)
    copy(plan = Expressions.withColumns(plan, computed.map(FlaggedFrom.guarded(flagged, _))))
  }
}

private[stream] object StreamFrom {

  /** Only the rows that have passed. */
  def passing(
      block: Block,
      stream: OrderedStream,
      window: ResolvedWindow,
      keys: Seq[Attribute]): StreamFrom = {
    val bounded = Placement.bounded(window.extent, stream.plan, stream)
    val columns = Carrying.distinct(stream.order.columns ++ keys)
    val from = Carrying.through(
      block.from,
      block.relation,
      bounded,
      columns,
      stream.order.columns,
      orderTables = true)
    StreamFrom(from.plan, from.order, None, None)
  }

  /** All tuples, marked with whether they have passed. */
  def all(
      block: Block,
      stream: OrderedStream,
      window: ResolvedWindow,
      keys: Seq[Attribute]): StreamFrom = {
    val inside = Placement.insideBounds(window.extent, stream).map(Alias(_, "inside")())
    val marked = Expressions.withColumns(stream.plan, inside.toSeq)
    val columns = Carrying.distinct(stream.order.columns ++ keys ++ inside.map(_.toAttribute))
    val from = FlaggedFrom(block.from, block.relation, marked, columns, stream.order.columns)
    StreamFrom(from.plan, from.order, from.passes, inside.map(_.toAttribute))
  }
}
