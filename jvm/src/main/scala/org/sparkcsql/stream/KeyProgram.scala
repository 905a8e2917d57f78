package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Instants}

/** The rows that one tuple makes in FROM, in order; there is always one, which may not have passed. */
private[sparkcsql] final class TupleRows(
    val first: UnsafeRow,
    others: collection.Seq[UnsafeRow],
    val time: Long) {
  def isOneRow: Boolean = others.isEmpty
  def rows: collection.Seq[UnsafeRow] = first +: others
  def foreach(use: UnsafeRow => Unit): Unit = {
    use(first)
    others.foreach(use)
  }
}

/** What happens to the tuples of one key, one key after another. Rows of the answer go to the sink it was made with. */
private[sparkcsql] trait KeyProgram {

  /** Begins a key that has no state … */
  def open(key: UnsafeRow): Unit

  /** … or continues one that has. */
  def load(from: ByteReader): Unit

  /** The next tuple; tuples come in order, and all of them lie before the watermark. */
  def tuple(tuple: TupleRows): Unit

  /** All tuples before the watermark have come: answers what is due by then. */
  def advance(watermark: Long): Unit

  /** Whether nothing of the key need be kept. */
  def isForgotten: Boolean
  def save(to: ByteWriter): Unit

  /** The instant after which the key has something to do without a new tuple. */
  def deadline: Option[Long] = None
}

private[stream] object KeyProgram {

  /** An instant by which a window of this length is surely empty, rounded so that keys share their deadlines. */
  def emptyBy(last: Long, lag: Long, length: Long): Long = {
    val end = Instants.plus(Instants.plus(last, lag), length)
    val step = math.max(1L, length / 16)
    val rounded = Math.floorDiv(end, step) * step
    if (end > Long.MaxValue - step) end else rounded + step
  }
}
