package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.kernel.{ByteReader, ByteWriter}
import org.sparkcsql.kernel.changes._
import org.sparkcsql.plan.StreamProgram

/**
 * Several windows as relations that change: the tuples of all streams in one order, answers by the
 * clock of the query. What is saved are the windows and where the clock stands; the operators over
 * them are made again from it.
 *
 * @param tables the rows of tables, each with the number of its table
 * @param keeping what keeps the tuples of a key's item
 */
private[sparkcsql] final class RelationProgram(
    program: StreamProgram.Relations,
    spec: StreamSpec,
    input: Seq[Attribute],
    tables: Array[InternalRow],
    partition: Int,
    keeping: (Array[Byte], Int) => Keeping[UnsafeRow],
    emit: InternalRow => Unit)
    extends KeyProgram {
  private val tagReader = new ColumnReader(Some(program.tag), input)
  private val columnsOf = program.query.inputs.map(item =>
    UnsafeProjection.create(item.slots.map(program.slots), input)).toArray

  private val tableTag = new ColumnReader(Some(program.tableTag), program.tableOutput)
  private lazy val tableColumns = program.tableColumns.map(slots =>
    UnsafeProjection.create(slots.map(program.tableSlots), program.tableOutput)).toArray

  private val sink = new NumberedAnswers(spec, emit)
  private var clock: RelationClock[UnsafeRow] = _

  override def open(key: UnsafeRow): Unit = {
    val built = new RelationOperators(program, partition, sink)
    clock = built.clock(keeping(key.getBytes, _), spec.time.isDefined)
    var number = 0L
    tables.foreach { row =>
      val table = tableTag.int(row)
      number += 1
      built.table(table).insert(new TupleId(number), tableColumns(table)(row).copy())
    }
    sink.restart()
  }

  override def load(from: ByteReader): Unit = {
    sink.load(from)
    clock.load(from)
  }

  override def save(to: ByteWriter): Unit = {
    sink.save(to)
    clock.save(to)
  }

  override def tuple(tuple: TupleRows): Unit = {
    val tag = tagReader.int(tuple.first)
    clock.arrive(tag, tuple.time, columnsOf(tag)(tuple.first).copy())
  }

  override def advance(watermark: Long): Unit = clock.advance(watermark)
  override def isForgotten: Boolean = false
  override def deadline: Option[Long] = Some(clock.next).filter(_ < Long.MaxValue)
}

/** Gives answers their place: the instant, the number of the evaluation and that of the row. */
private final class NumberedAnswers(spec: StreamSpec, emit: InternalRow => Unit)
    extends AnswerSink[UnsafeRow] {
  private val added = new GenericInternalRow(spec.added.length)
  private val joined = new JoinedRow
  private val output = spec.values ++ spec.added
  private val project = UnsafeProjection.create(output, output)
  private val timed = if (spec.time.isDefined) 1 else 0
  private var evaluation = 0L
  private var number = 0L

  def restart(): Unit = {
    evaluation = 0
    number = 0
  }

  override def row(row: UnsafeRow, instant: Long, isNew: Boolean): Unit = {
    if (timed == 1) added.update(0, instant)
    added.update(timed, evaluation)
    added.update(timed + 1, number)
    added.update(timed + 2, isNew)
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
