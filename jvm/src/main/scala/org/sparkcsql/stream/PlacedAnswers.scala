package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.kernel.{ByteReader, ByteWriter}
import org.sparkcsql.kernel.changes.{AnswerSink, RowId}
import org.sparkcsql.plan.{AnswerPlace, StreamProgram}

/** Gives the rows of answers their place: the instant, then what the query's division says. */
private[stream] abstract class PlacedAnswers(spec: StreamSpec) extends AnswerSink[UnsafeRow] {
  var emit: InternalRow => Unit = _

  /** A tuple has come; what is answered until the next one may come from it. */
  def arrived(tuple: UnsafeRow): Unit = ()

  protected val added = new GenericInternalRow(spec.added.length)
  private val joined = new JoinedRow
  private val output = spec.values ++ spec.added
  private val project = UnsafeProjection.create(output, output)
  protected val timed: Int = spec.time.size
  protected var evaluation = 0L
  private var number = 0L

  /** Writes the place of a row, but for the number that comes last. */
  protected def write(id: RowId): Unit

  override def row(id: RowId, row: UnsafeRow, instant: Long): Unit = {
    if (timed == 1) added.update(0, instant)
    write(id)
    added.update(added.numFields - 1, number)
    number += 1
    emit(project(joined(row, added)))
  }

  override def evaluated(): Unit = evaluation += 1

  def load(from: ByteReader): Unit = {
    evaluation = from.getLong
    number = from.getLong
  }
  def save(to: ByteWriter): Unit = {
    to.putLong(evaluation)
    to.putLong(number)
  }
}

private[stream] object PlacedAnswers {

  /** The columns of the place of a tuple; the first tie tells streams apart, which the place of a row does anyway. */
  def tuple(spec: StreamSpec): Seq[Attribute] = spec.time.toSeq ++ spec.ties.tail

  def apply(program: StreamProgram.Relations, spec: StreamSpec, input: Seq[Attribute]): PlacedAnswers =
    program.place match {
      case AnswerPlace.Counted => new PlacedAnswers(spec) {
          override def write(id: RowId): Unit = added.update(timed, evaluation)
        }
      case AnswerPlace.OfArrival => new PlacedByArrival(spec, input)
      case AnswerPlace.OfTuples =>
        val places = new RowPlaces(program.query.tree, tuple(spec).map(_.dataType))
        new PlacedAnswers(spec) {
          override def write(id: RowId): Unit = places.write(id, added, timed)
        }
    }
}

/** All rows of an answer come from the tuple that has come last. */
private final class PlacedByArrival(spec: StreamSpec, input: Seq[Attribute]) extends PlacedAnswers(spec) {
  private val columns = spec.ties.map(tie => (input.indexWhere(_.exprId == tie.exprId), tie.dataType)).toArray
  private var arrival: UnsafeRow = _
  private var isWritten = false

  override def arrived(tuple: UnsafeRow): Unit = {
    arrival = tuple
    isWritten = false
  }

  override def write(id: RowId): Unit = if (!isWritten) {
    var i = 0
    while (i < columns.length) {
      val (ordinal, of) = columns(i)
      if (arrival.isNullAt(ordinal)) added.setNullAt(timed + i)
      else added.update(timed + i, arrival.get(ordinal, of))
      i += 1
    }
    isWritten = true
  }
}
