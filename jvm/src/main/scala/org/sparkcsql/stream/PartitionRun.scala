package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.{ByteReader, ByteWriter}
import org.sparkcsql.plan.{ClockUnit, StreamClock, StreamProgram}

/**
 * What a task knows of the time, on the axis of the stream's own time.
 *
 * @param complete all tuples before this instant have come
 * @param late tuples before this instant come too late
 * @param watermark Spark's, in milliseconds; 0 if there is none
 * @param now the clock of the machine when the micro-batch began, in milliseconds
 */
final case class BatchClock(batch: Long, complete: Long, late: Long, watermark: Long, now: Long)

/**
 * What a task gets beside the rows of streams.
 *
 * @param rows those of tables
 * @param run what tells this operator of this run of the query from all others
 */
final case class Beside(rows: Array[InternalRow], run: String)

/**
 * One partition of one micro-batch: takes the tuples that are complete, new ones and those that
 * have waited, through the program key by key; then the keys that have something to do without
 * a tuple. To be read to the end, and then saved.
 */
final class PartitionRun(
    spec: StreamSpec,
    input: Seq[Attribute],
    beside: Beside,
    clock: BatchClock,
    partition: Int,
    store: org.apache.spark.sql.execution.streaming.state.StateStore,
    rows: Iterator[InternalRow],
    counts: StateCounts)
    extends Stepwise {
  private val shelf = new StoreShelf(store, counts)
  private val timeReader = new ColumnReader(spec.time, input)
  private val batchReader = new ColumnReader(spec.batch, input)
  private val keyOf = UnsafeProjection.create(spec.key, input)
  private val wantsLate = spec.program == StreamProgram.LateOnly

  private val earliest = spec.earliest

  private def timeOf(row: InternalRow): Long = timeReader.long(row, Long.MinValue)

  private val waiting = new WaitingRoom(shelf, input.length, timeOf)
  private val deadlines = new Deadlines(shelf)

  /** How many keys the state holds. */
  private var keys = 0L
  private val idle = new IdleClock(spec.idleMillis, spec.movedByClock, beside.run)
  private val before = shelf.get(StateKind.Partition, Array.emptyByteArray, 0)
  if (before != null) {
    val from = new ByteReader(before)
    waiting.load(from)
    deadlines.load(from)
    keys = from.getLong
    idle.load(from)
  }
  private val late = math.max(clock.late, idle.lateBefore)
  private val complete = idle.completeAt(clock)

  private val programs =
    new Programs(spec, input, beside, shelf, partition, row => answer(row.copy()))
  private val program = programs.build()

  private val tuples = new TupleIterator(spec, input, if (spec.waits) inOrder() else asTheyCome)

  /** The keys with a deadline that has passed; those that also have tuples are answered with them. */
  private val due = new DueKeys(shelf, deadlines.takeDue(complete), keys, spec.key.length)

  private var key: UnsafeRow = null
  private var keyBytes: Array[Byte] = null
  private var told: Long = Long.MaxValue
  private var stored: Array[Byte] = null
  private var piece = new ByteWriter

  /** The rows of an operator that does not wait; Spark has put them in order. */
  private def asTheyCome: Iterator[UnsafeRow] =
    if (!spec.preAggregated) rows.map(mine)
    else
      rows.filter { row =>
        val inTime = timeOf(row) >= idle.lateBefore
        if (!inTime) counts.late += 1
        inTime
      }.map(mine)

  /** The rows that are complete: those that have waited and new ones. */
  private def inOrder(): Iterator[UnsafeRow] = {
    // about a millisecond, so that the microseconds of all years fit
    val coarser = spec.clock match {
      case StreamClock.Watermark(unit, _) if unit != ClockUnit.Micros => 0
      case _ => 10
    }
    val sort = new KeyedSort(spec.key, spec.order, input, timeOf, coarser)
    waiting.release(complete)(sort.insert)
    rows.foreach(admit(_, sort))
    sort.sorted
  }

  /** A new row: on its way, put aside until it is complete, or late. */
  private def admit(row: InternalRow, sort: KeyedSort): Unit = {
    val time = timeOf(row)
    if (time < earliest) throw CsqlErrors.runtime("CSQL_STREAM_TIME_NEGATIVE", "time" -> time.toString)
    else if (time < late) {
      counts.late += 1
      if (wantsLate) answer(mine(row).copy())
    } else if (!wantsLate) {
      if (time < complete) sort.insert(mine(row)) else waiting.add(mine(row))
    }
  }

  private def mine(row: InternalRow): UnsafeRow = {
    val own = row.asInstanceOf[UnsafeRow]
    batchReader.set(own, clock.batch)
    own
  }

  override def hasSteps: Boolean = tuples.hasNext || key != null || due.hasNext

  override def step(): Unit =
    if (tuples.hasNext) {
      val tuple = tuples.next()
      val own = keyOf(tuple.first)
      if (key == null || own != key) {
        finishKey()
        val next = own.copy()
        due.remove(next)
        begin(next, shelf.get(StateKind.Key, next.getBytes, 0))
      }
      program.tuple(tuple)
    } else if (key != null) finishKey()
    else begin(due.next(), due.state)

  private def begin(own: UnsafeRow, state: Array[Byte]): Unit = {
    key = own
    keyBytes = own.getBytes
    programs.opening(key)
    program.open(key)
    stored = state
    told = Long.MaxValue
    if (stored != null) {
      val from = new ByteReader(state)
      told = from.getLong
      program.load(from)
    }
  }

  private def finishKey(): Unit = if (key != null) {
    program.advance(complete)
    if (program.isForgotten) {
      if (stored != null) {
        shelf.remove(StateKind.Key, keyBytes, 0)
        keys -= 1
      }
    } else {
      if (stored == null) keys += 1
      // what was told for an instant that has come is gone
      val pending = if (told < complete) Long.MaxValue else told
      val wanted = if (spec.time.isDefined) program.deadline.getOrElse(Long.MaxValue) else Long.MaxValue
      val tell = wanted < pending
      if (tell) deadlines.tell(wanted, keyBytes)
      val to = piece
      to.clear()
      to.putLong(if (tell) wanted else pending)
      program.save(to)
      shelf.put(StateKind.Key, keyBytes, to, stored)
      if (!to.isComplete) piece = new ByteWriter
    }
    key = null
  }

  /** The millisecond after the first instant at which something waits to be done. */
  def nextDue: Long = {
    val first = math.min(waiting.earliest, deadlines.earliest)
    if (first == Long.MaxValue) first else spec.movedByClock.getOrElse(ClockUnit.Micros).toMillis(first) + 1
  }

  /** Where the time of this partition stands, and since when by the clock of the machine, if it has begun. */
  def standsAt: Long = if (idle.standsAt == 0) Long.MaxValue else idle.standsAt
  def idleSince: Long = if (idle.standsAt == 0) Long.MaxValue else idle.standsSince

  override protected def finish(): Unit = {
    shelf.complete()
    val to = new ByteWriter
    waiting.save(to)
    if (waiting.earliest < Long.MaxValue) idle.waits(waiting.earliest, clock.now)
    deadlines.save(to)
    to.putLong(keys)
    idle.save(to)
    shelf.put(StateKind.Partition, Array.emptyByteArray, 0, to.result)
  }
}

/** Puts the rows that one tuple makes in FROM together. */
private[sparkcsql] final class TupleIterator(
    spec: StreamSpec,
    input: Seq[Attribute],
    rows: Iterator[UnsafeRow])
    extends Iterator[TupleRows] {
  private lazy val source = rows.buffered
  private val time = new ColumnReader(spec.time, input)
  private lazy val tupleOf = UnsafeProjection.create(spec.key ++ spec.time ++ spec.ties, input)
  private val oneRow = spec.program match {
    case slide: StreamProgram.Slide => slide.oneRow
    case jump: StreamProgram.Jump => jump.oneRow
    case _ => true
  }

  override def hasNext: Boolean = if (oneRow) rows.hasNext else source.hasNext
  override def next(): TupleRows = {
    // another row is looked at before this one is used
    val first = if (oneRow) rows.next() else source.next().copy()
    new TupleRows(first, if (oneRow) Nil else others(first), time.long(first, Long.MaxValue))
  }

  private def others(first: UnsafeRow): collection.Seq[UnsafeRow] = {
    val identity = tupleOf(first).copy()
    if (!source.hasNext || tupleOf(source.head) != identity) Nil
    else {
      val all = new ArrayBuffer[UnsafeRow]
      while (source.hasNext && tupleOf(source.head) == identity) all += source.next().copy()
      all
    }
  }
}
