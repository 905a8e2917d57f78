package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.aggregates.LocalTable
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Span}

/** An aggregate that goes on as tuples come and go, in any order. Its whole window is stored with it. */
private[stream] final class ScatteredCall(call: RunningCall) {
  private val keepsRows = !call.task.keepsWindow
  private val window = new LocalTable(if (keepsRows) call.program.argumentTypes.length else 0)
  private val run = call.task.run(Some(window))

  def add(slot: Long, row: UnsafeRow): Unit = {
    val tuple = call.arguments(row)
    window.insert(if (keepsRows) tuple else DeltaGroup.noColumns, Span.Queue.place(slot, Long.MinValue))
    run.tuple(tuple, keepsAll = false)
  }

  /** Lets the tuples of a slot go, but for those that the aggregate has deleted. */
  @scala.annotation.tailrec
  def remove(slot: Long): Unit = {
    val found = window.all.zipWithIndex.find(_._1.place.leave == slot)
    if (found.isDefined) {
      val (tuple, older) = found.get
      run.leave(tuple.row, older)
      if (tuple.isLive) window.delete(tuple)
      remove(slot)
    }
  }

  def values: InternalRow = call.row(run.answer)

  def save(to: ByteWriter): Unit = {
    run.save(to)
    window.save(to)
  }
  def load(from: ByteReader): Unit = {
    run.load(from)
    window.load(from)
  }
}
