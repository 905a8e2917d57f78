package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.aggregates._
import org.sparkcsql.kernel._

/** The windows of one call, as its dispatch has them. */
private[stream] final class UserGroups(
    call: UserAggregate,
    input: Seq[Attribute],
    span: Span,
    dispatch: Dispatch,
    partition: Int) {
  private val running = new RunningCall(call, input, dispatch.program, partition)

  /** The call on what panes return. */
  private lazy val panes: UserGroups = dispatch match {
    case Dispatch.Paned(_, size, over) =>
      val arguments = call.programs.any.argumentTypes.map(of => AttributeReference("argument", of)())
      new UserGroups(call.copy(arguments = arguments), arguments, paneSpan(size), over, partition)
    case _ => throw new IllegalStateException("this call has no panes")
  }

  private def paneSpan(size: Long): Span = Span.Tuples(span.asInstanceOf[Span.Tuples].count / size, 0)

  /** Whether an answer may depend on tuples that have left the window. */
  def remembers: Boolean = dispatch match {
    case _: Dispatch.Running | _: Dispatch.Delta => true
    case _ => false
  }

  def make(shelf: Int => Shelf): Group = dispatch match {
    case Dispatch.Running(_, keepsAll) => new RunningGroup(running, Long.MaxValue, keepsAll)
    case Dispatch.Restarted(_, every) => new RunningGroup(running, every, keepsAll = false)
    case _: Dispatch.Delta => new DeltaGroup(running, span, shelf)
    case _: Dispatch.Anew => new AnewGroup(running, span, shelf)
    case Dispatch.Paned(_, size, _) => new PanedGroup(running, size, paneSpan(size), panes.make(shelf))
  }
}

/** A call in one task: what all its groups share. */
private[stream] final class RunningCall(
    val call: UserAggregate,
    input: Seq[Attribute],
    val program: AggregateProgram,
    partition: Int) {
  private val argumentsOf = UnsafeProjection.create(call.assigned, input)
  private val value = new GenericInternalRow(1)
  val task: AggregateTask = program.task(partition)

  def arguments(row: UnsafeRow): UnsafeRow = argumentsOf(row).copy()

  def newRun(): StayingRun = new StayingRun(program, task)

  /** The row that holds an answer; the next one takes the same row. */
  def row(answer: Any): InternalRow = {
    value.update(0, answer)
    value
  }

  /** The answer of a call that has not run. */
  def none: InternalRow = row(null)
}

/** A group that holds tuples for an aggregate of a user's. */
private[stream] abstract class UserGroup extends Group {
  override def insertPart(place: Place, part: InternalRow): Unit =
    throw new IllegalStateException("tuples are given to the aggregate one by one")
  override def insertNothing(place: Place): Unit = ()
  override def rows: Iterator[UnsafeRow] = throw new IllegalStateException("only aggregates are kept")
}
