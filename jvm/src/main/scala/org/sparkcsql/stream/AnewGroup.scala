package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.aggregates.StayingRun
import org.sparkcsql.kernel._

/** An aggregate that runs anew, for each answer, over the tuples in the window. */
private[stream] final class AnewGroup(call: RunningCall, span: Span, shelf: Int => Shelf) extends UserGroup {
  private val byTime = span.isInstanceOf[Span.Time]

  /** Only what the newest tuple returns is part of the answer. */
  private val runs = new Aggregation[UnsafeRow, StayingRun] {
    override def create(): StayingRun = call.newRun()
    override def add(run: StayingRun, row: UnsafeRow): Unit = if (row != null) run.tuple(row)
    override def merge(older: StayingRun, newer: StayingRun): Unit =
      throw new UnsupportedOperationException("runs cannot be merged")
    override def copy(run: StayingRun): StayingRun =
      throw new UnsupportedOperationException("runs cannot be copied")
  }

  private val kept = new KeptRows[UnsafeRow, StayingRun](
    span.reach,
    span.lagging,
    leaves = true,
    runs,
    new RowCodec(call.program.argumentTypes.length),
    new PlaceCodec(enter = span.lagging && !byTime, leave = !byTime, byTime),
    shelf,
    unread = true
  )

  override def insert(place: Place, row: UnsafeRow): Unit = kept.insert(place, call.arguments(row))
  override def insertNothing(place: Place): Unit = kept.insert(place, null)
  override def advance(atSeq: Long, atTime: Long): Unit = kept.advance(atSeq, atTime)
  override def isEmpty: Boolean = kept.isEmpty
  override def isForgotten: Boolean = kept.isForgotten

  override def values: InternalRow = {
    val run = kept.current
    val answer = if (run.isBegun) call.row(run.answer) else call.none
    run.close()
    answer
  }

  override def save(to: ByteWriter): Unit = kept.save(to)
  override def load(from: ByteReader): Unit = kept.load(from)
}
