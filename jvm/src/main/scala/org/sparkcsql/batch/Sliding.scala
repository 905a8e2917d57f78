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
    val key = Carrying.distinct(substream ++ grouping.keys)
    val single = arrivals.own && Carrying.keepsRows(block.from, block.relation)
    // WHERE is looked at before the operator, and a window counts all tuples
    val counts = arrivals.own && Carrying.keepsRows(block.from, block.relation, all = true)
    val last = if (counts) lastOf(key, window) else None
    val placed =
      if (last.isDefined) Placement.anywhere(stream) else Placement.sliding(window, arrivals, key)
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
    val node = SlideAggregate(
      key = key,
      order = Carrying.distinct(arrivals.columns ++ from.order),
      evaluation = if (single) Nil else arrivals.columns,
      evaluationTime = if (placed.reach == Reach.untimed) None else arrivals.time.map(_.column),
      enter = placed.place.enter,
      leave = placed.place.leave,
      time = placed.place.time,
      reach = placed.reach,
      single = single,
      scattered = placed.scattered,
      last = last,
      fresh = fresh,
      functions = grouping.functions,
      values = grouping.values,
      child = withColumns(from.plan, grouping.computed)
    )
    val slid = Stretches.of(node, window, counts).getOrElse(node)
    val list = grouping.list.map(empty.timed(_))
    val answered = Project(Carrying.append(list, empty.hidden :+ fresh), slid)
    (empty.copy(plan = answered, visible = list.map(_.toAttribute)), fresh)
  }

  /** How many tuples a window holds that counts those of each key, and looks at nothing else. */
  private def lastOf(key: Seq[Attribute], window: ResolvedWindow): Option[Long] = window.extent match {
    case Extent.Tuples(count, 0, partitionBy)
        if key.nonEmpty && AttributeSet(key) == AttributeSet(window.frequency.partitionBy ++ partitionBy) =>
      Some(count)
    case _ => None
  }
}
