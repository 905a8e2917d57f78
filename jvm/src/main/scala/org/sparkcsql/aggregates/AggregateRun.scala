package org.sparkcsql.aggregates

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter}

/** An aggregate in one task; made once, for all the groups that the task sees. */
trait AggregateTask {

  /** @param window the tuples in the window, where somebody keeps them for the aggregate */
  def run(window: Option[LocalTable]): AggregateRun
}

/** An aggregate at work on the tuples of one group, one after another. */
trait AggregateRun {
  protected val returned = new ArrayBuffer[Any]
  private var begun = false

  /** Whether a tuple has come. */
  final def isBegun: Boolean = begun

  final def tuple(arguments: UnsafeRow): Unit = if (begun) iterate(arguments)
  else {
    begun = true
    initialize(arguments)
  }

  final def terminate(): Unit = if (begun) finish()

  /** What was returned since this was asked last. */
  final def takeReturned(): Seq[Any] = {
    val rows = returned.toArray.toSeq
    returned.clear()
    rows
  }

  protected def initialize(arguments: UnsafeRow): Unit
  protected def iterate(arguments: UnsafeRow): Unit
  protected def finish(): Unit

  /** A tuple leaves the window; it is still in there. */
  def expire(arguments: UnsafeRow): Unit

  final def save(to: ByteWriter): Unit = {
    to.putByte(if (begun) 1 else 0)
    if (begun) saveState(to)
  }
  final def load(from: ByteReader): Unit = {
    begun = from.getByte == 1
    if (begun) loadState(from)
  }

  /** The state, but for the window. */
  protected def saveState(to: ByteWriter): Unit
  protected def loadState(from: ByteReader): Unit
}

/** A run over tuples that stay. The version for windows finds them in its window. */
final class StayingRun(program: AggregateProgram, task: AggregateTask) {
  private val window =
    if (program.isWindow) Some(new LocalTable(program.argumentTypes.length)) else None
  private val run = task.run(window)

  def isBegun: Boolean = run.isBegun
  def tuple(arguments: UnsafeRow): Unit = {
    window.foreach(_.insert(arguments))
    run.tuple(arguments)
  }
  def terminate(): Unit = run.terminate()
  def takeReturned(): Seq[Any] = run.takeReturned()
  def save(to: ByteWriter): Unit = {
    run.save(to)
    window.foreach(_.save(to))
  }
  def load(from: ByteReader): Unit = {
    run.load(from)
    window.foreach(_.load(from))
  }
}
