package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.sparkcsql.aggregates.{Asking, UserAggregate}
import org.sparkcsql.analyze.ComparedByBytes
import org.sparkcsql.kernel._
import org.sparkcsql.plan.StreamProgram

/** Builds the program of an operator for one task, with the projections that make the rows of its answer. */
private[sparkcsql] final class Programs(
    spec: StreamSpec,
    input: Seq[Attribute],
    beside: Beside,
    shelf: StateShelf,
    partition: Int,
    emit: InternalRow => Unit) {
  private val passesReader = new ColumnReader(spec.passes, input)
  private val insideReader = new ColumnReader(spec.inside, input)
  private lazy val groupProjection = UnsafeProjection.create(spec.grouping, input)
  private var currentKey: UnsafeRow = null
  private val users = spec.aggregates.flatMap(UserAggregate.of(_)).map(_.programs.any)

  private def passes(row: UnsafeRow): Boolean = passesReader.boolean(row)
  private def inside(row: UnsafeRow): Boolean = insideReader.boolean(row)
  private def groupOf(row: UnsafeRow): UnsafeRow = groupProjection(row)

  /** To be told before the program is: rows of the answer hold the key. */
  def opening(key: UnsafeRow): Unit = {
    currentKey = key
    users.foreach(_.nextKey())
  }

  def build(): KeyProgram = spec.program match {
    case StreamProgram.InOrder | StreamProgram.LateOnly => new InOrderProgram(emit)
    case StreamProgram.EveryTuples(count) => new EveryTuplesProgram(count, emit)
    case StreamProgram.LastOfSlot(grid) => new LastOfSlotProgram(grid, input.length, emit)
    case slide: StreamProgram.Slide => sliding(slide)
    case jump: StreamProgram.Jump => jumping(jump)
    case over: StreamProgram.Over => overs(over)
    case slides: StreamProgram.Slides =>
      Slides(slides, spec, input, partition, (key, part) => shelf.of(StateKind.KeyParts + part, key), emit)
    case relations: StreamProgram.Relations =>
      def parts(key: Array[Byte], part: Int) = shelf.of(StateKind.KeyParts + part, key)
      RelationProgram(relations, spec, input, beside.rows, partition, Some(beside.run), parts, emit)
    case StreamProgram.Whole => whole()
    case panes: StreamProgram.Panes =>
      val factory = new GroupFactory(
        panes.span,
        Slicing.of(panes.span, Beat.Ticks(panes.grid)),
        selects = false,
        spec.aggregates,
        input,
        partials = true,
        partition)
      val slice = new ColumnReader(spec.time, input)
      new PanesProgram(
        panes,
        factory,
        new OneGroup(factory, shelf),
        slice.long(_, 0),
        jumpSink(factory.resultAttributes, hasGroups = false))
  }

  private def factory(
      span: Span,
      slicing: Slicing,
      selects: Boolean,
      asking: Asking,
      aggregates: Seq[AggregateExpression] = spec.aggregates) =
    new GroupFactory(
      span,
      slicing,
      selects,
      aggregates,
      input,
      partials = false,
      partition,
      asking = asking)

  /** Whether a key holds just one group. */
  private def oneGroup: Boolean = spec.grouping.forall(g => spec.key.exists(_.exprId == g.exprId))

  private def groups(factory: GroupFactory): KeyGroups =
    if (oneGroup) new OneGroup(factory, shelf) else new ManyGroups(factory, spec.grouping.length, shelf)

  private def groupInKey: UnsafeRow => UnsafeRow = if (oneGroup) _ => OneGroup.values else groupOf

  private def sliding(slide: StreamProgram.Slide): KeyProgram =
    (slide.span, spec.rangeKey) match {
      case (tuples: Span.Tuples, _ +: _) =>
        scattered(tuples, None, slide.selects)
      case _ =>
        val windows = factory(slide.span, Slicing.none, slide.selects, Asking.AtTuples)
        new SlideProgram(
          slide,
          groups(windows),
          groupInKey,
          passes,
          owner => new DelayLine(input.length, shelf.of(StateKind.KeyParts + DelayLine.Part, owner)),
          slideSink(windows.resultAttributes)
        )
    }

  private def jumping(jump: StreamProgram.Jump): KeyProgram = (jump.span, spec.rangeKey) match {
    case (tuples: Span.Tuples, _ +: _) =>
      scattered(tuples, Some(jump.beat), jump.selects)
    case _ =>
      val windows = factory(jump.span, Slicing.of(jump.span, jump.beat), jump.selects, Asking.AtJumps)
      new JumpProgram(
        jump,
        groups(windows),
        windows.slices,
        spec.grouping.nonEmpty,
        groupInKey,
        passes,
        inside,
        jumpSink(windows.resultAttributes, hasGroups = !oneGroup))
  }

  private def whole(): KeyProgram = {
    val windows = factory(Span.Endless, Slicing.none, selects = false, Asking.AtEnd)
    val joined = new JoinedRow
    val project = UnsafeProjection.create(
      spec.emitted(input),
      spec.key ++ windows.resultAttributes)
    new WholeProgram(windows, values => emit(project(joined(currentKey, values))))
  }

  private def overs(program: StreamProgram.Over): KeyProgram = {
    val ends = program.frames.map(_.functions).scanLeft(0)(_ + _)
    val frames = program.frames.zip(ends).map { case (frame, start) =>
      val functions = spec.aggregates.slice(start, start + frame.functions)
      (
        frame,
        new GroupFactory(frame.span, Slicing.none, false, functions, input, partials = false, partition))
    }
    val project = UnsafeProjection.create(
      input ++ spec.aggregates.map(_.resultAttribute),
      input ++ frames.flatMap(_._2.resultAttributes))
    val peersOf =
      UnsafeProjection.create(spec.time.toSeq ++ spec.rowOrder.map(ComparedByBytes.normalized), input)
    val joined = new JoinedRow
    new OverProgram(
      frames,
      row => peersOf(row),
      (key, part) => shelf.of(StateKind.KeyParts + part, key),
      (row, values) => emit(project(joined(row, values))))
  }

  private def scattered(span: Span.Tuples, beat: Option[Beat], selects: Boolean) = {
    val range = UnsafeProjection.create(spec.rangeKey, input)
    val groups = new ScatteredGroups(
      spec.aggregates,
      input,
      partition,
      if (beat.isEmpty) Asking.AtTuples else Asking.AtJumps,
      factory(Span.Endless, Slicing.none, selects, Asking.AtTuples, _))
    new ScatteredProgram(
      span,
      beat,
      selects,
      spec.grouping.nonEmpty,
      groups,
      row => range(row),
      groupOf,
      passes,
      spec.rangeKey.length,
      spec.grouping.length,
      input.length,
      slideSink(groups.resultAttributes),
      jumpSink(groups.resultAttributes, hasGroups = true)
    )
  }

  private def slideSink(results: Seq[Attribute]): SlideSink = {
    val lagging = spec.added.length > 1
    val evaluation = UnsafeProjection.create(spec.time.toSeq ++ spec.ties, input)
    val (joined, withValues, withFresh) = (new JoinedRow, new JoinedRow, new JoinedRow)
    val freshRow = new GenericInternalRow(1)
    val (later, fresh) = if (lagging) (spec.added.init, spec.added.lastOption.toSeq) else (Nil, spec.added)
    val project = UnsafeProjection.create(
      input ++ spec.aggregates.map(_.resultAttribute) ++ spec.added,
      input ++ results ++ later ++ fresh)
    def tail(arrival: UnsafeRow, isFresh: Boolean): InternalRow = {
      freshRow.update(0, isFresh)
      if (lagging) withFresh(evaluation(arrival), freshRow) else freshRow
    }
    new SlideSink {
      override def group(row: UnsafeRow, arrival: UnsafeRow, values: InternalRow, isFresh: Boolean): Unit =
        emit(project(joined(row, withValues(values, tail(arrival, isFresh)))))
      override def entered(row: UnsafeRow, arrival: UnsafeRow): Unit =
        emit(project(joined(row, tail(arrival, isFresh = true))))
    }
  }

  private def jumpSink(results: Seq[Attribute], hasGroups: Boolean): JumpSink = {
    lazy val evaluation = UnsafeProjection.create(spec.time.toSeq ++ spec.ties, input)
    val (withKey, withValues, joined) = (new JoinedRow, new JoinedRow, new JoinedRow)
    val tick = new GenericInternalRow(1)
    val groupColumns = if (hasGroups) spec.grouping else Nil
    val all = spec.emitted(input)
    lazy val ofGroups =
      UnsafeProjection.create(all, (groupColumns ++ spec.key) ++ results ++ spec.added)
    lazy val ofRows = UnsafeProjection.create(input ++ spec.added, input ++ spec.added)
    def at(evaluated: Evaluation): InternalRow = evaluated.arrival match {
      case Some(row) => evaluation(row)
      case None =>
        tick.update(0, evaluated.time)
        tick
    }
    new JumpSink {
      override def group(values: UnsafeRow, found: InternalRow, evaluated: Evaluation): Unit = {
        val groupAndKey = if (hasGroups && values != null) withKey(values, currentKey) else currentKey
        emit(ofGroups(joined(groupAndKey, withValues(found, at(evaluated)))))
      }
      override def row(row: UnsafeRow, evaluated: Evaluation): Unit = emit(ofRows(joined(row, at(evaluated))))
    }
  }
}
