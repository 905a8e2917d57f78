package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.aggregates.{LocalRow, WindowTable}
import org.sparkcsql.kernel._

/** An aggregate that goes on as tuples come and go; it sees a table of those in its window. */
private[stream] final class DeltaGroup(call: RunningCall, span: Span, shelf: Int => Shelf) extends UserGroup {
  private val keepsRows = !call.task.keepsWindow
  private val window =
    new WindowTable(if (keepsRows) call.program.argumentTypes.length else 0, shelf(DeltaGroup.WindowPart))
  private val run = call.task.run(Some(window))
  private val reach = span.reach

  override def insert(place: Place, row: UnsafeRow): Unit = {
    val tuple = call.arguments(row)
    window.insert(if (keepsRows) tuple else DeltaGroup.noColumns, place)
    run.tuple(tuple, keepsAll = false)
  }

  override def insertNothing(place: Place): Unit = run.noTuple()

  override def values: InternalRow = call.row(run.answer)

  override def advance(atSeq: Long, atTime: Long): Unit = span match {
    case Span.Queue => expire(atSeq)
    case _ =>
      while (window.first != null && isGone(window.first.place, atSeq, atTime)) {
        val tuple = window.first
        run.leave(tuple.row)
        remove(tuple)
      }
  }

  private def isGone(place: Place, atSeq: Long, atTime: Long): Boolean =
    reach.gone(place.leave, place.time, atSeq, atTime)

  /** The tuple of this number leaves, unless it is gone; what is returned about it is the answer. */
  private def expire(number: Long): Unit = {
    val first = window.first
    if (first != null && first.place.leave <= number) {
      run.expire(first.row)
      remove(first)
    } else run.expireNothing()
  }

  private def remove(tuple: LocalRow): Unit = if (tuple.isLive) window.delete(tuple)

  override def isEmpty: Boolean = window.size == 0
  // the aggregate has begun, once for all
  override def isForgotten: Boolean = !run.isBegun

  override def save(to: ByteWriter): Unit = {
    run.save(to)
    window.save(to)
  }
  override def load(from: ByteReader): Unit = {
    run.load(from)
    window.load(from)
  }
}

private[stream] object DeltaGroup {
  private val WindowPart = 0

  /** Stands for a tuple that the aggregate keeps by itself. */
  val noColumns: UnsafeRow = {
    val row = new UnsafeRow(0)
    row.pointTo(Array.emptyByteArray, 0)
    row
  }
}
