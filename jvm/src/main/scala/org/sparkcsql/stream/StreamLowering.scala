package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.{BooleanType, LongType}
import org.sparkcsql.analyze._
import org.sparkcsql.batch._
import org.sparkcsql.kernel.{Beat, Span}
import org.sparkcsql.plan._

/** Blocks over streams that have not ended: the answer grows. */
object StreamLowering extends Lowering {

  override def sample(stream: OrderedStream, frequency: ResolvedFrequency): OrderedStream = {
    val program = frequency.pace match {
      case Pace.EachTuple => None
      case Pace.EveryTuples(count) => Some(StreamProgram.EveryTuples(count))
      case Pace.Ticks(grid) => Some(StreamProgram.LastOfSlot(grid))
    }
    program.fold(stream)(p => onRows(stream, p, frequency.partitionBy, s"F ${frequency.pace}"))
  }

  /** An operator that gives on some of the rows as they are. */
  private def onRows(
      stream: OrderedStream,
      program: StreamProgram,
      key: Seq[Attribute],
      described: String): OrderedStream =
    above(stream.copy(plan = window(stream, program, key, stream.plan, described)))

  /** The answer when all rows of an instant have come. */
  def inOrder(answer: Answer): Answer = {
    val stream = onRows(answer.asStream, StreamProgram.InOrder, answer.time.map(_.column).toSeq, "merge")
    answer.copy(plan = stream.plan, clock = stream.clock)
  }

  /** The rows that come too late for a stream's slack. */
  def lateRows(stream: OrderedStream): LogicalPlan = onRows(stream, StreamProgram.LateOnly, Nil, "late").plan

  /** Spark's window functions over a stream. */
  def over(
      stream: OrderedStream,
      program: StreamProgram.Over,
      key: Seq[Attribute],
      peers: Seq[Attribute],
      functions: Seq[WindowedFunction],
      values: Seq[Attribute]): LogicalPlan = {
    val ties = peers ++ stream.order.ties
    window(stream, program, key, stream.plan, s"OVER ${peers.map(_.name).mkString(", ")}")
      .copy(ties = ties, rowOrder = peers, functions = functions, values = values)
  }

  /**
   * OVER with SLIDE or ACTIVE EXPIRATION, over a stream or a table.
   *
   * @param arrives whether a row is a tuple; others pass by
   */
  def slides(
      stream: OrderedStream,
      program: StreamProgram.Slides,
      key: Seq[Attribute],
      arrives: Option[Attribute],
      functions: Seq[WindowedFunction],
      values: Seq[Attribute],
      added: Seq[Attribute],
      described: String): OrderedStream = {
    val node = window(stream, program, key, stream.plan, described)
      .copy(passes = arrives, functions = functions, values = values, added = added)
    above(stream.copy(plan = node))
  }

  /** A stream whose rows have been through an operator. */
  def above(stream: OrderedStream): OrderedStream = stream.copy(clock = above(stream.clock), batch = None)

  def above(clock: StreamClock): StreamClock = clock match {
    case watermark: StreamClock.Watermark => watermark.copy(shortened = true)
    case other => other
  }

  private def window(
      stream: OrderedStream,
      program: StreamProgram,
      key: Seq[Attribute],
      child: LogicalPlan,
      described: String): StreamWindow = StreamWindow(
    program = program,
    clock = stream.clock,
    key = key,
    time = stream.time.map(_.column),
    ties = stream.order.ties,
    batch = stream.batch,
    rowOrder = Nil,
    passes = None,
    inside = None,
    ownTime = None,
    rangeKey = Nil,
    grouping = Nil,
    functions = Nil,
    values = Nil,
    added = Nil,
    described = described,
    child = child
  )

  private def span(extent: Extent): Span = extent match {
    case Extent.Tuples(count, lag, _) => Span.Tuples(count, lag)
    case Extent.Time(length, lag) => Span.Time(length, lag)
    case Extent.Unbounded => Span.Endless
    case _: Extent.Between => Span.Landmark
  }

  override protected def slideSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer =
    if (span(window.extent).lagging) lagging(block, stream, window)
    else {
      val time = stream.time.map(_.column)
      // without a time nothing waits; with one, tuples of equal time belong together and no others
      val ready =
        if (time.isEmpty) stream
        else onRows(stream, StreamProgram.InOrder, time.toSeq, Algebra.beneath(block))
      val bounded = Placement.bounded(window.extent, ready.plan, stream)
      val order = stream.order.columns
      val from =
        Carrying.through(block.from, block.relation, bounded, order, order, orderTables = true)
      Answer(
        from.plan,
        block.from.output,
        stream.time,
        stream.order.ties,
        from.order,
        AnswerColumns.hiddenInputs(block),
        ready.clock)
    }

  private def lagging(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer = {
    val substream = Carrying.distinct(window.frequency.partitionBy ++ rangeColumns(window))
    val from = StreamFrom.all(block, stream, window, substream)
    val (later, node) = slide(block, stream, window, from, substream, Nil, NoGroups, selects = true)
    Answer(
      node,
      block.from.output,
      stream.time.map(t => StreamTime(later.head, t.dataType)),
      later.drop(stream.time.size),
      from.order,
      AnswerColumns.hiddenInputs(block),
      above(stream.clock)
    )
  }

  private def makesOneRow(block: Block): Boolean = Carrying.keepsRows(block.from, block.relation)

  private val NoGroups = GroupedList(Nil, Nil, Nil, Nil, Nil, None)

  private def rangeColumns(window: ResolvedWindow): Seq[Attribute] = window.extent match {
    case Extent.Tuples(_, _, partitionBy) => partitionBy
    case _ => Nil
  }

  /** The operator of a sliding block, and the columns that hold the order of its evaluations. */
  private def slide(
      block: Block,
      stream: OrderedStream,
      resolved: ResolvedWindow,
      from: StreamFrom,
      key: Seq[Attribute],
      rangeKey: Seq[Attribute],
      grouping: GroupedList,
      selects: Boolean): (Seq[Attribute], StreamWindow) = {
    val extent = span(resolved.extent)
    val fresh = AttributeReference("fresh", BooleanType, nullable = false)()
    val later = if (extent.lagging) arrivalColumns(stream) else Nil
    val node =
      window(
        stream,
        StreamProgram.Slide(extent, selects, makesOneRow(block)),
        key,
        from.plan,
        Algebra.beneath(block)).copy(
        rowOrder = from.rowOrder(stream),
        passes = from.passes,
        rangeKey = rangeKey,
        grouping = grouping.keys,
        functions = grouping.functions,
        values = grouping.values,
        added = later :+ fresh
      )
    (if (later.isEmpty) stream.order.columns else later, node)
  }

  override private[sparkcsql] def slideAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): (Answer, Attribute) = {
    val substream = window.frequency.partitionBy
    val determined = Carrying.distinct(substream ++ grouping.keys)
    val range = Carrying.distinct(substream ++ rangeColumns(window))
    val extent = span(window.extent)
    val (key, rangeKey) = extent match {
      case _: Span.Tuples =>
        val key = range.filter(c => determined.exists(_.exprId == c.exprId))
        (key, if (key.size == range.size) Nil else range)
      case _ if extent.lagging => (substream, Nil)
      case _ => (determined, Nil)
    }
    val countsAll = extent.lagging || extent.isInstanceOf[Span.Tuples]
    val from =
      if (countsAll) StreamFrom.all(block, stream, window, range)
      else StreamFrom.passing(block, stream, window, range)
    val (evaluation, node) =
      slide(
        block,
        stream,
        window,
        from.withColumns(grouping.computed),
        key,
        rangeKey,
        grouping,
        selects = false)
    val empty = Answer(
      node,
      Nil,
      stream.time.map(t => StreamTime(evaluation.head, t.dataType)),
      evaluation.drop(stream.time.size),
      grouping.keys ++ grouping.places,
      AnswerColumns.hiddenInputs(block),
      above(stream.clock)
    )
    val fresh = node.added.last
    val list = grouping.list.map(empty.timed(_))
    val answered = Project(Carrying.append(list, empty.hidden :+ fresh), grouping.returned(node))
    (empty.copy(plan = answered, visible = list.map(_.toAttribute)), fresh)
  }

  override protected def jumpSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer = {
    val (key, rangeKey) = jumpKeys(window, Nil)
    val from = StreamFrom.all(block, stream, window, Carrying.distinct(key ++ rangeKey))
    val node = jump(block, stream, window, from, key, rangeKey, NoGroups, selects = true)
    val answer = jumped(block, stream, window, node, from.order)
    answer.copy(visible = block.from.output)
  }

  override private[sparkcsql] def jumpAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer = {
    val local = (window.extent, window.frequency.pace) match {
      case (_: Extent.Time, _: Pace.Ticks) => true
      case _ => false
    }
    val node =
      if (local && Slices.fit(grouping, window.frequency.partitionBy))
        Panes(block, stream, window, grouping, Algebra.beneath(block))
      else {
        val (key, rangeKey) = jumpKeys(window, if (local) grouping.keys else Nil)
        val carried = Carrying.distinct(window.frequency.partitionBy ++ rangeKey)
        val from =
          if (local && grouping.keys.nonEmpty) StreamFrom.passing(block, stream, window, carried)
          else StreamFrom.all(block, stream, window, carried)
        jump(
          block,
          stream,
          window,
          from.withColumns(grouping.computed),
          key,
          rangeKey,
          grouping,
          selects = false)
      }
    val empty = jumped(block, stream, window, node, grouping.keys ++ grouping.places)
    val list = grouping.list.map(empty.timed(_))
    empty.copy(
      plan = Project(Carrying.append(list, empty.hidden), grouping.returned(node)),
      visible = list.map(_.toAttribute))
  }

  /** All tuples of a table, once for each group. */
  override private[sparkcsql] def wholeAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      resolved: ResolvedWindow): Answer = {
    val from = StreamFrom.passing(block, stream, resolved, Nil).withColumns(grouping.computed)
    val node = window(stream, StreamProgram.Whole, grouping.keys, from.plan, Algebra.beneath(block)).copy(
      rowOrder = from.rowOrder(stream),
      grouping = grouping.keys,
      functions = grouping.functions,
      values = grouping.values
    )
    val empty =
      Answer(node, Nil, None, Nil, grouping.keys ++ grouping.places, AnswerColumns.hiddenInputs(block))
    empty.copy(
      plan = Project(Carrying.append(grouping.list, empty.hidden), grouping.returned(node)),
      visible = grouping.list.map(_.toAttribute))
  }

  private def jumpKeys(window: ResolvedWindow, groups: Seq[Attribute]): (Seq[Attribute], Seq[Attribute]) = {
    val substream = window.frequency.partitionBy
    val range = Carrying.distinct(substream ++ rangeColumns(window))
    (Carrying.distinct(substream ++ groups), if (range.size == substream.size) Nil else range)
  }

  private def jump(
      block: Block,
      stream: OrderedStream,
      resolved: ResolvedWindow,
      from: StreamFrom,
      key: Seq[Attribute],
      rangeKey: Seq[Attribute],
      grouping: GroupedList,
      selects: Boolean): StreamWindow = {
    val beat = resolved.frequency.pace match {
      case Pace.EveryTuples(count) => Beat.EveryTuples(count)
      case Pace.Ticks(grid) => Beat.Ticks(grid)
      case Pace.EachTuple => throw new IllegalStateException("a sliding window does not jump")
    }
    val program = StreamProgram.Jump(span(resolved.extent), beat, selects, makesOneRow(block))
    window(stream, program, key, from.plan, Algebra.beneath(block)).copy(
      rowOrder = from.rowOrder(stream),
      passes = from.passes,
      inside = from.inside,
      rangeKey = rangeKey,
      grouping = grouping.keys,
      functions = grouping.functions,
      values = grouping.values,
      added = evaluationColumns(stream, beat)
    )
  }

  private def evaluationColumns(stream: OrderedStream, beat: Beat): Seq[Attribute] = beat match {
    case _: Beat.Ticks => Seq(AttributeReference("tick", LongType, nullable = false)())
    case _: Beat.EveryTuples => arrivalColumns(stream)
  }

  /** The order of the tuple at which the operator answers, beside that of the rows it answers with. */
  private def arrivalColumns(stream: OrderedStream): Seq[Attribute] =
    stream.order.columns.map(c => c.newInstance().withName(s"${c.name} there"))

  private def jumped(
      block: Block,
      stream: OrderedStream,
      window: ResolvedWindow,
      node: StreamWindow,
      within: Seq[Attribute]): Answer = {
    val ticks = window.frequency.pace.isInstanceOf[Pace.Ticks]
    Answer(
      node,
      Nil,
      stream.time.map(t => StreamTime(node.added.head, t.dataType)),
      if (ticks) window.frequency.partitionBy else node.added.drop(stream.time.size),
      within,
      AnswerColumns.hiddenInputs(block),
      above(stream.clock)
    )
  }
}
