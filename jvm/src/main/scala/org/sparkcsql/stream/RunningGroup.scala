package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._

/**
 * An aggregate that goes on as tuples come; none of them leaves, or all at once.
 *
 * @param every how many tuples there are from the end of a window to the end of the next
 * @param keepsAll whether all that was returned is the answer, not only what the newest tuple brought
 */
private[stream] final class RunningGroup(call: RunningCall, every: Long, keepsAll: Boolean)
    extends UserGroup {
  private var run = call.newRun()

  /** The number of the window's last tuple. */
  private var until = Long.MinValue

  override def insert(place: Place, row: UnsafeRow): Unit = {
    if (every != Long.MaxValue && place.enter > until) {
      run.close()
      run = call.newRun()
      until = Grid(0, every).tickAtOrAfter(place.enter)
    }
    run.tuple(call.arguments(row), keepsAll)
  }

  override def values: InternalRow = call.row(run.answer)
  override def advance(atSeq: Long, atTime: Long): Unit = ()
  override def isEmpty: Boolean = !run.isBegun
  override def isForgotten: Boolean = !run.isBegun
  override def close(): Unit = run.close()

  override def save(to: ByteWriter): Unit = {
    to.putLong(until)
    run.save(to)
  }
  override def load(from: ByteReader): Unit = {
    until = from.getLong
    run.load(from)
  }
}
