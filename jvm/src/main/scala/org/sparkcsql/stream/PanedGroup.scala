package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.sparkcsql.aggregates.{ReturnedCodec, UserAggregate}
import org.sparkcsql.kernel._

/**
 * An aggregate that runs once over each pane of tuples, and then over what panes return.
 *
 * @param size how many tuples a pane has
 * @param span the window, counted in panes
 * @param window the aggregate over what is returned
 */
private[stream] final class PanedGroup(call: RunningCall, size: Long, span: Span, window: Group)
    extends UserGroup {
  private val returns = call.program.returns
  private lazy val paneRow = new PaneRows(call.call)
  private lazy val codec = new ReturnedCodec(returns)
  private var run = call.newRun()
  private var answer: Seq[Any] = Nil

  override def insert(place: Place, row: UnsafeRow): Unit = {
    run.tuple(call.arguments(row))
    if (place.enter % size == 0) close(place.enter / size)
  }

  private def close(pane: Long): Unit = {
    val values = list(run.answer)
    run.close()
    run = call.newRun()
    window.advance(pane, Long.MinValue)
    val place = span.place(pane, Long.MinValue)
    // the window answers also where its newest pane has nothing to say
    if (values.isEmpty) window.insertNothing(place)
    else values.foreach(value => window.insert(place, paneRow(value)))
    answer = list(window.values.getArray(0))
  }

  private def list(answer: Any): Seq[Any] =
    if (answer == null) Nil else answer.asInstanceOf[ArrayData].toObjectArray(returns).toSeq

  override def advance(atSeq: Long, atTime: Long): Unit = ()
  override def values: InternalRow = call.row(new GenericArrayData(answer.toArray[Any]))
  override def isEmpty: Boolean = !run.isBegun && window.isEmpty
  override def isForgotten: Boolean = !run.isBegun && window.isForgotten
  override def save(to: ByteWriter): Unit = {
    run.save(to)
    codec.write(answer, to)
    window.save(to)
  }
  override def load(from: ByteReader): Unit = {
    run.load(from)
    answer = codec.read(from)
    window.load(from)
  }
}

/** What a pane has returned, as arguments. */
private final class PaneRows(call: UserAggregate) {
  private val value = AttributeReference("value", call.programs.any.returns)()
  private val project = UnsafeProjection.create(call.fromReturned(value), Seq(value))
  private val row = new GenericInternalRow(1)

  def apply(returned: Any): UnsafeRow = {
    row.update(0, returned)
    project(row)
  }
}
