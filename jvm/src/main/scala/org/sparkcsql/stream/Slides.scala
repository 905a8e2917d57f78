package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.sparkcsql.aggregates.{Asking, Dispatch, UserAggregate}
import org.sparkcsql.batch.WindowAggregates
import org.sparkcsql.kernel._
import org.sparkcsql.plan.{OverPace, OverWindow, StreamProgram}

/** Builds the program of OVER with SLIDE and ACTIVE EXPIRATION, for streams and for tables. */
private[sparkcsql] object Slides {

  /** Each window has the parts of its group and a queue. */
  private val PartsOfWindow = 8

  /** @param shelf what keeps the parts of a key's windows between two uses */
  def apply(
      program: StreamProgram.Slides,
      spec: StreamSpec,
      input: Seq[Attribute],
      partition: Int,
      shelf: (Array[Byte], Int) => Shelf,
      emit: InternalRow => Unit): KeyProgram = {
    val ends = program.windows.map(_.functions).scanLeft(0)(_ + _)
    val factories = program.windows.zip(ends).map { case (window, start) =>
      val functions = spec.aggregates.slice(start, start + window.functions)
      val way = Way.of(window, functions)
      val factory = new GroupFactory(
        way.span,
        way.slicing,
        selects = false,
        functions,
        input,
        partials = false,
        partition,
        way.unread,
        Way.asking(window))
      (window, way, factory)
    }
    val results = factories.flatMap(_._3.resultAttributes)
    val windows = factories.zipWithIndex.map { case ((window, way, factory), i) =>
      def own(key: Array[Byte], part: Int): Shelf = shelf(key, PartsOfWindow * i + part)
      window.pace match {
        case OverPace.Expiring(after) =>
          new ExpiringWindow(after, factory, input.length + results.length, own)
        case _ => new MovingWindow(window, way.span, factory, own)
      }
    }
    val sink = new ProjectedSlides(spec, input, factories.map(_._3.resultAttributes), program.marks, emit)
    val arrives = new ColumnReader(spec.passes, input)
    new SlidesProgram(windows, program.grids, program.marks, input.length, arrives.boolean(_), sink)
  }
}

/**
 * How the tuples of a window are kept.
 *
 * @param unread whether as rows, since most of them may never be aggregated
 */
private[sparkcsql] final case class Way(
    span: Span,
    slicing: Slicing,
    unread: Boolean,
    told: String)

private[sparkcsql] object Way {
  def of(window: OverWindow, functions: Seq[AggregateExpression]): Way =
    if (functions.exists(UserAggregate.in(_))) ofUsers(window, functions)
    else ofSpark(window, functions.forall(WindowAggregates.mergeable))

  /** Aggregates of users keep the tuples themselves, each in its own way. */
  private def ofUsers(window: OverWindow, functions: Seq[AggregateExpression]): Way = {
    val span = window.pace match {
      case _: OverPace.Expiring => Span.Queue
      case _ => window.span
    }
    val ways = functions.flatMap(UserAggregate.of(_)).map(call =>
      Dispatch.of(call.programs, span, asking(window)).told)
    Way(span, Slicing.none, unread = false, ways.distinct.mkString(" and "))
  }

  /** When a window of OVER is asked for its answer. */
  def asking(window: OverWindow): Asking = (window.span, window.pace) match {
    case (_, OverPace.EveryTuples(count)) => Asking.EveryTuples(count)
    case (Span.Time(length, _), OverPace.LastOfSlot(grid)) if length - 1 <= grid.step => Asking.OncePerSlot
    case _ => Asking.AtTuples
  }

  private def ofSpark(window: OverWindow, mergeable: Boolean): Way = (window.span, window.pace) match {
    case (_, _: OverPace.Expiring) => Way(Span.Queue, Slicing.none, unread = false, stacks(mergeable))
    case (Span.Tuples(held, _), OverPace.EveryTuples(every)) if mergeable && held <= every =>
      Way(Span.Tuples(1, 0), Slicing(Some(Grid(0, every)), None), unread = false, "one pane a window")
    case (span: Span.Tuples, OverPace.EveryTuples(every)) if mergeable =>
      val slicing = Slicing.of(span, Beat.EveryTuples(every))
      Way(span, slicing, unread = false, s"panes of ${slicing.numbers.get.step}")
    case (span @ Span.Time(length, _), OverPace.LastOfSlot(grid)) if length - 1 <= grid.step =>
      Way(span, Slicing.none, unread = true, "rows added up once a slot")
    case (Span.Endless, _) => Way(Span.Endless, Slicing.none, unread = false, "one running total")
    case (span, _) => Way(span, Slicing.none, unread = false, stacks(mergeable))
  }

  private def stacks(mergeable: Boolean): String =
    if (mergeable) "two stacks" else "rows added up anew for each answer"
}

/** Rows of the answer: those of the input, the values, and for each expiry when and from which window. */
private final class ProjectedSlides(
    spec: StreamSpec,
    input: Seq[Attribute],
    results: Seq[Seq[Attribute]],
    marks: Boolean,
    emit: InternalRow => Unit)
    extends SlidesSink {
  private val all = results.flatten
  private val output = input ++ spec.aggregates.map(_.resultAttribute) ++ spec.added
  private val expires = !marks && spec.added.nonEmpty
  private val added = new GenericInternalRow(spec.added.length)
  private val (joined, withValues) = (new JoinedRow, new JoinedRow)

  private val ofArrival = UnsafeProjection.create(output, input ++ all ++ spec.added)
  private lazy val nothing = new GenericInternalRow(all.length)
  private lazy val ofKept = UnsafeProjection.create(input ++ all, input ++ all)

  /** For each window: what was kept, with the values of this window after it. */
  private lazy val ofExpiry = results.map { own =>
    val replaced = AttributeMap(own.map(c => c -> c.newInstance()))
    UnsafeProjection.create(
      output.map(c => replaced.getOrElse(c, c)),
      input ++ all ++ own.map(replaced) ++ spec.added)
  }

  override def arrived(row: UnsafeRow, values: InternalRow, time: Long): Unit = {
    if (marks) added.update(0, true)
    if (expires) tell(time, 0, 0)
    emit(ofArrival(joined(row, withValues(values, added))))
  }

  override def passed(row: UnsafeRow): Unit = {
    added.update(0, false)
    emit(ofArrival(joined(row, withValues(nothing, added))))
  }

  override def passedBy(row: UnsafeRow, time: Long): Unit = {
    tell(time, 1, 0)
    emit(ofArrival(joined(row, withValues(nothing, added))))
  }

  override def kept(row: UnsafeRow, values: InternalRow): UnsafeRow = ofKept(joined(row, values)).copy()

  override def expired(kept: UnsafeRow, window: Int, values: InternalRow, instant: Long): Unit = {
    tell(instant, 1, window + 1L)
    emit(ofExpiry(window)(joined(kept, withValues(values, added))))
  }

  private def tell(instant: Long, phase: Long, window: Long): Unit = {
    added.update(0, instant)
    added.update(1, phase)
    added.update(2, window)
  }
}
