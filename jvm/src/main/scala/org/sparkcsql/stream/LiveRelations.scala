package org.sparkcsql.stream

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Shelf}
import org.sparkcsql.kernel.changes._
import org.sparkcsql.plan.{AnswerPlace, StreamProgram}

/**
 * The windows of a query, the operators over them and its clock.
 *
 * @param tables the rows of tables, each with the number of its table
 * @param keeps whether the windows lie in a state store
 */
private[sparkcsql] final class LiveRelations(
    program: StreamProgram.Relations,
    spec: StreamSpec,
    input: Seq[Attribute],
    tables: Array[InternalRow],
    partition: Int,
    keeps: Boolean) {
  private val tagReader = new ColumnReader(Some(program.tag), input)
  private val columnsOf = program.query.inputs.map(item =>
    UnsafeProjection.create(item.slots.map(program.slots), input)).toArray

  /** What orders a tuple among those of all tasks, where the answer is ordered by it. */
  private val place = PlacedAnswers.tuple(spec)
  private val placeOf: Option[UnsafeProjection] = program.place match {
    case AnswerPlace.OfTuples => Some(UnsafeProjection.create(place, input))
    case _ => None
  }
  private val codecs = program.query.inputs.map { item =>
    val places = if (placeOf.isDefined) new RowCodec(place.length) else NoRowCodec
    new HeldCodec(new RowCodec(item.slots.length), places)
  }.toIndexedSeq

  private val sink = PlacedAnswers(program, spec, input)
  private var shelf: Int => Shelf = _

  private val clock: RelationClock[UnsafeRow] = {
    val operators = new RelationOperators(program, partition, sink)
    val made = operators.clock(codecs, keeping, keeps, spec.time.isDefined)
    fill(operators)
    made
  }

  private def keeping(item: Int): Keeping[UnsafeRow] =
    if (!keeps) new HeapKeeping
    else new ShelfKeeping(part => new PresentShelf(() => shelf(4 * item + part)), codecs(item))

  private def fill(operators: RelationOperators): Unit = {
    lazy val tag = new ColumnReader(Some(program.tableTag), program.tableOutput)
    lazy val columns = program.tableColumns.map(slots =>
      UnsafeProjection.create(slots.map(program.tableSlots), program.tableOutput)).toArray
    var number = 0L
    tables.foreach { row =>
      number += 1
      val table = tag.int(row)
      operators.table(table).insert(new TupleId(number), columns(table)(row).copy())
    }
  }

  /** Where the windows lie and where answers go, from now on. */
  def bind(shelves: Int => Shelf, emit: InternalRow => Unit): Unit = {
    shelf = shelves
    sink.emit = emit
  }

  def tuple(tuple: TupleRows): Unit = {
    val tag = tagReader.int(tuple.first)
    sink.arrived(tuple.first)
    val place = placeOf.fold[UnsafeRow](null)(_(tuple.first).copy())
    inTime(clock.arrive(tag, tuple.time, columnsOf(tag)(tuple.first).copy(), place))
  }

  def advance(watermark: Long): Unit = inTime(clock.advance(watermark))
  def next: Long = inTime(clock.next)

  /** Ticks may lie beyond the end of time; what Spark's functions overflow with is told by Spark. */
  private def inTime[T](act: => T): T =
    try act
    catch {
      case overflow: ArithmeticException if !overflow.isInstanceOf[SparkThrowable] =>
        throw CsqlErrors.runtime("CSQL_TIME_OVERFLOW", "instant" -> clock.reached.toString)
    }

  def load(from: ByteReader): Unit = {
    sink.load(from)
    clock.load(from)
  }

  def save(to: ByteWriter): Unit = {
    sink.save(to)
    clock.save(to)
  }
}

/** The shelf that is there when it is used. */
private final class PresentShelf(present: () => Shelf) extends Shelf {
  override def get(no: Long): Array[Byte] = present().get(no)
  override def put(no: Long, piece: Array[Byte]): Unit = present().put(no, piece)
  override def remove(no: Long): Unit = present().remove(no)
}
