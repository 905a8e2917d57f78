package org.sparkcsql.stream

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.InternalRow
import org.sparkcsql.aggregates.PythonWork

/** Work that is done in steps and gives rows on the way; to be read to the end. */
abstract class Stepwise extends Iterator[InternalRow] with PythonWork {
  private val answers = new ArrayDeque[InternalRow]
  private var finished = false

  protected def answer(row: InternalRow): Unit = answers.addLast(row)

  /** What is left to do after the last step, when all rows of the answer are known. */
  protected def finish(): Unit

  /** The next row, or null if another step must be done first. */
  def ready: InternalRow = answers.peekFirst

  def close(): Unit = if (!finished) {
    finished = true
    finish()
  }

  override def hasNext: Boolean = {
    while (answers.isEmpty && hasSteps) step()
    if (answers.isEmpty) close()
    !answers.isEmpty
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    answers.pollFirst()
  }
}
