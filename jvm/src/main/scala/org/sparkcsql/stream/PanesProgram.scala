package org.sparkcsql.stream

import java.util.TreeMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._
import org.sparkcsql.plan.StreamProgram

/**
 * Windows by time at ticks, from partial aggregates. A slice may be added to until a tick sees it,
 * so tuples need no order and none of them waits: the slices do.
 *
 * @param sliceOf the end of the slice that a partial aggregate belongs to
 */
private[stream] final class PanesProgram(
    program: StreamProgram.Panes,
    factory: GroupFactory,
    group: OneGroup,
    sliceOf: UnsafeRow => Long,
    sink: JumpSink)
    extends KeyProgram {
  private val Span.Time(_, lag) = program.span
  private val slices = new TreeMap[Long, InternalRow]
  private var answered = Long.MinValue
  private var window: Group = null

  override def open(key: UnsafeRow): Unit = {
    slices.clear()
    answered = Long.MinValue
    group.open(key.getBytes)
    window = group.of(key)
  }

  override def tuple(tuple: TupleRows): Unit = tuple.foreach { part =>
    val slice = slices.computeIfAbsent(sliceOf(part), _ => factory.merging.create())
    factory.merging.add(slice, part)
  }

  /** The next tick with something to answer, or none ever. */
  private def next: Long =
    if (!window.isForgotten) answered + program.grid.step
    else if (slices.isEmpty) Long.MaxValue
    else program.grid.tickAtOrAfter(Instants.plus(slices.firstKey, lag))

  override def advance(watermark: Long): Unit = {
    var due = next
    while (due < watermark) {
      val at = due
      while (!slices.isEmpty && slices.firstKey <= Instants.minus(at, lag)) {
        val slice = slices.pollFirstEntry()
        window.insertPart(program.span.place(0, slice.getKey), slice.getValue)
      }
      window.advance(Points.AfterAll, at)
      if (!window.isEmpty) sink.group(null, window.values, Evaluation(Points.AfterAll, at, None))
      answered = at
      // drops what the next tick will not see, so that a key with nothing else is forgotten now
      window.advance(Points.AfterAll, at + program.grid.step)
      due = next
    }
  }

  override def isForgotten: Boolean = slices.isEmpty && window.isForgotten
  override def deadline: Option[Long] = Some(next).filter(_ != Long.MaxValue)

  override def save(to: ByteWriter): Unit = {
    to.putLong(answered)
    to.putInt(slices.size)
    slices.forEach { (end, part) =>
      to.putLong(end)
      factory.buffers.write(part, to)
    }
    group.save(to)
  }

  override def load(from: ByteReader): Unit = {
    answered = from.getLong
    (0 until from.getInt).foreach(_ => slices.put(from.getLong, factory.buffers.read(from)))
    group.load(from)
  }
}
