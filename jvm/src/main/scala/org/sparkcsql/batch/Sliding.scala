package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.BooleanType
import org.sparkcsql.analyze._
import org.sparkcsql.kernel.Reach
import org.sparkcsql.plan.SlideAggregate

/** A block that answers at each arriving tuple with the new rows, or with the groups that got new rows. */
private[batch] object Sliding {
  import Expressions._

  def select(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer = {
    val arrivals = Arrivals(stream, window)
    val bounded = Placement.bounded(window.extent, arrivals.stream.plan, stream)
    val carried = Carrying.distinct(arrivals.columns ++ stream.order.columns)
    val counted = AnswerColumns.hiddenInputs(block)
    val from =
      Carrying.through(block.from, block.relation, bounded, carried, stream.order.columns, orderTables = true)
    Answer(from.plan, block.from.output, arrivals.time, arrivals.ties, from.order, counted)
  }

  def aggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): (Answer, Attribute) = {
    val arrivals = Arrivals(stream, window)
    val substream = window.frequency.partitionBy
    val placed = Placement.sliding(window, arrivals, substream ++ grouping.keys)
    val carried = Carrying.distinct(placed.columns ++ arrivals.columns ++ substream)
    val from = Carrying.through(
      block.from,
      block.relation,
      placed.stream.plan,
      carried,
      stream.order.columns,
      orderTables = grouping.functions.exists(f => !WindowAggregates.orderless(f.toSpark))
    )
    val fresh = AttributeReference("fresh", BooleanType, nullable = false)()
    val empty =
      Answer(from.plan, Nil, arrivals.time, arrivals.ties, grouping.keys, AnswerColumns.hiddenInputs(block))
    val single = arrivals.own && Carrying.keepsRows(block.from, block.relation)
    val node = SlideAggregate(
      key = Carrying.distinct(substream ++ grouping.keys),
      order = Carrying.distinct(arrivals.columns ++ from.order),
      evaluation = if (single) Nil else arrivals.columns,
      evaluationTime = if (placed.reach == Reach.untimed) None else arrivals.time.map(_.column),
      enter = placed.place.enter,
      leave = placed.place.leave,
      time = placed.place.time,
      reach = placed.reach,
      single = single,
      scattered = placed.scattered,
      fresh = fresh,
      functions = grouping.functions,
      values = grouping.values,
      child = withColumns(from.plan, grouping.computed)
    )
    val slid = Stretches.of(node, window).getOrElse(node)
    val list = grouping.list.map(empty.timed(_))
    val answered = Project(Carrying.append(list, empty.hidden :+ fresh), slid)
    (empty.copy(plan = answered, visible = list.map(_.toAttribute)), fresh)
  }
}
