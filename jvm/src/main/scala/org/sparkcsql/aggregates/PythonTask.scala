package org.sparkcsql.aggregates

import java.nio.charset.StandardCharsets.UTF_8
import java.util.ArrayDeque

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.{ByteReader, ByteWriter}

/** Where the worker of one call will be; a call runs one of its versions. */
private[sparkcsql] final class PythonPlace(work: PythonWork) {
  private var begun: Option[PythonTask] = None

  def begin(program: PythonProgram): AggregateTask = {
    val task = new PythonTask(program, work)
    begun = Some(task)
    task
  }
  def task: Option[PythonTask] = begun
  def nextKey(): Unit = begun.foreach(_.clear())
}

/** What makes calls for workers. */
trait PythonWork {
  def hasSteps: Boolean
  def step(): Unit
}

/**
 * The calls of one aggregate in one task, and the answers that have come back. The worker asks for more calls
 * as it has room for them; answers come in the order in which they were asked for, and are numbered so.
 */
private[sparkcsql] final class PythonTask(program: PythonProgram, work: PythonWork) extends AggregateTask {
  import PythonTask._

  private val calls = new ArrayDeque[InternalRow]
  private val noArguments = new GenericInternalRow(program.arguments.length)
  private var runs = 0L
  private var isUsed = false
  private var asked = 0L

  private lazy val results = program.function.run(batches, columns(program))
  private val readRow = UnsafeProjection.create(program.answers)
  private var came = 0L
  private val lists = new ArrayDeque[(Long, ArrayData)]
  private val states = mutable.LongMap.empty[Array[Byte]]

  call(Begin, 0, program.told.getBytes(UTF_8))

  override def keepsWindow: Boolean = true

  /** The runs so far are over. */
  def clear(): Unit = if (isUsed) call(Clear, 0)

  override def run(window: Option[LocalTable]): AggregateRun = new PythonRun

  /** Whether enough calls are waiting to send them. */
  def isFull: Boolean = calls.size >= BatchSize

  /** Whether the answer of this number has come. */
  def knows(number: Long): Boolean = number < came

  /** An answer that has come; those before it are not asked for any more. */
  def list(number: Long): ArrayData = {
    while (lists.peekFirst._1 < number) lists.pollFirst()
    lists.peekFirst._2
  }

  /** Waits for more answers; whether some have come. */
  def read(): Boolean = isUsed && results.hasNext && {
    results.next().rowIterator.asScala.foreach(row => receive(readRow(row)))
    true
  }

  private def receive(row: UnsafeRow): Unit = {
    if (!row.isNullAt(2)) throw failure(row.getString(2))
    if (!row.isNullAt(0)) lists.addLast((came, row.copy().getArray(0)))
    else states.put(came, row.getBinary(1)): Unit
    came += 1
  }

  private def failure(told: String): Throwable = {
    val parts = told.split("\n", 3)
    CsqlErrors.runtime(
      "CSQL_AGGREGATE_FAILED",
      "name" -> program.name,
      "section" -> parts(0),
      "statement" -> parts(1),
      "cause" -> parts(2))
  }

  private def batches: Iterator[Iterator[InternalRow]] = new Iterator[Iterator[InternalRow]] {
    override def hasNext: Boolean = {
      while (!isFull && work.hasSteps) work.step()
      !calls.isEmpty
    }
    override def next(): Iterator[InternalRow] = {
      val size = math.min(calls.size, BatchSize)
      Iterator.fill(size)(calls.pollFirst())
    }
  }

  private def call(
      what: Int,
      run: Long,
      state: Array[Byte] = null,
      arguments: InternalRow = noArguments): Unit =
    calls.addLast(new JoinedRow(InternalRow(what, run, state), arguments))

  private def ask(what: Int, run: Long): Long = {
    isUsed = true
    call(what, run)
    asked += 1
    asked - 1
  }

  private final class PythonRun extends AggregateRun {
    private val number = runs
    runs += 1
    private var begun = false

    /** The state that the worker has not got yet. */
    private var stored: Array[Byte] = null

    private def tell(
        what: Int,
        arguments: InternalRow = noArguments,
        detail: Array[Byte] = null): Unit = {
      load()
      isUsed = true
      call(what, number, detail, arguments)
    }
    private def load(): Unit = if (stored != null) {
      call(Load, number, stored)
      stored = null
    }

    override def isBegun: Boolean = begun
    override def tuple(arguments: UnsafeRow, keepsAll: Boolean): Unit = {
      begun = true
      tell(if (keepsAll) AnotherTuple else Tuple, arguments)
    }
    override def noTuple(): Unit =
      throw new IllegalStateException("aggregates written in Python have no panes")
    override def expire(arguments: UnsafeRow): Unit = tell(Expire)
    override def leave(arguments: UnsafeRow, older: Int): Unit =
      tell(Leave, detail = if (older == 0) null else older.toString.getBytes(UTF_8))
    override def expireNothing(): Unit = tell(ExpireNothing)
    override def answer: Any = {
      load()
      ask(Answer, number)
    }
    override def close(): Unit = if (begun) tell(Close)

    override def save(to: ByteWriter): Unit = {
      to.putByte(if (begun) 1 else 0)
      if (stored != null) to.putBytes(stored)
      else if (begun) {
        val place = ask(Save, number)
        to.putLater(() => states.remove(place).get)
      }
    }
    override def load(from: ByteReader): Unit = {
      begun = from.getByte == 1
      if (begun) stored = from.getBytes
    }
  }
}

private object PythonTask {

  /** How many calls are sent at once. */
  private val BatchSize = 4096

  // The worker knows the calls by these numbers.
  private val Begin = 0
  private val Tuple = 1
  private val Expire = 2
  private val Leave = 3
  private val AnotherTuple = 4
  private val ExpireNothing = 5
  private val Answer = 6
  private val Close = 7
  private val Save = 8
  private val Load = 9
  private val Clear = 10

  private def columns(program: PythonProgram): StructType = StructType(
    Seq(StructField("call", IntegerType), StructField("run", LongType), StructField("state", BinaryType)) ++
      program.arguments.zipWithIndex.map { case (argument, i) =>
        StructField(s"argument$i", argument.dataType)
      })
}
