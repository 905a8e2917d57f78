package org.sparkcsql.aggregates

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.DataType
import org.sparkcsql.kernel.{ByteReader, ByteWriter}

/** An aggregate in one task; made once, for all the groups that the task sees. */
trait AggregateTask {

  /** @param window the tuples in the window, where somebody keeps them for the aggregate */
  def run(window: Option[LocalTable]): AggregateRun

  /** Whether the runs keep the tuples in the window by themselves. */
  def keepsWindow: Boolean = false
}

/** An aggregate at work on the tuples of one group, one after another. */
trait AggregateRun {

  /** Whether a tuple has come. */
  def isBegun: Boolean

  /**
   * The next tuple.
   *
   * @param keepsAll whether what is returned about it adds to the answer; else it is the answer
   */
  def tuple(arguments: UnsafeRow, keepsAll: Boolean): Unit

  /** An answer will be asked for though no tuple has come: what TERMINATE returns. */
  def noTuple(): Unit

  /** The oldest tuple leaves the window; it is still in there. What is returned about it is the whole answer. */
  def expire(arguments: UnsafeRow): Unit

  /**
   * A tuple leaves the window; nobody asks what is returned about it.
   *
   * @param older how many tuples of the window came before it
   */
  def leave(arguments: UnsafeRow, older: Int = 0): Unit

  /** A tuple that is gone already would leave now: the answer is nothing. */
  def expireNothing(): Unit

  /** All that was returned, after TERMINATE unless it has run since the last tuple: a list, or what stands for it. */
  def answer: Any

  /** No more calls will come. */
  def close(): Unit = ()

  /** The state, but for the window. */
  def save(to: ByteWriter): Unit
  def load(from: ByteReader): Unit
}

/** A run in the task itself. */
private[aggregates] abstract class LocalRun(codec: ReturnedCodec) extends AggregateRun {
  protected val returned = new ArrayBuffer[Any]
  private var begun = false
  private var settled = true

  protected def initialize(arguments: UnsafeRow): Unit
  protected def iterate(arguments: UnsafeRow): Unit
  protected def finish(): Unit
  protected def expiring(arguments: UnsafeRow): Unit
  protected def saveState(to: ByteWriter): Unit
  protected def loadState(from: ByteReader): Unit

  override def isBegun: Boolean = begun

  override def tuple(arguments: UnsafeRow, keepsAll: Boolean): Unit = {
    if (!keepsAll) returned.clear()
    settled = false
    if (begun) iterate(arguments)
    else {
      begun = true
      initialize(arguments)
    }
  }

  override def noTuple(): Unit = {
    returned.clear()
    settled = !begun
  }

  override def expire(arguments: UnsafeRow): Unit = {
    expireNothing()
    expiring(arguments)
  }
  override def expireNothing(): Unit = {
    returned.clear()
    settled = true
  }

  override def leave(arguments: UnsafeRow, older: Int): Unit = {
    val told = returned.length
    expiring(arguments)
    returned.dropRightInPlace(returned.length - told): Unit
  }

  override def answer: GenericArrayData = {
    if (!settled) finish()
    settled = true
    new GenericArrayData(returned.toArray)
  }

  override def save(to: ByteWriter): Unit = {
    to.putByte(if (begun) 1 else 0)
    if (begun) {
      saveState(to)
      to.putByte(if (settled) 1 else 0)
      codec.write(returned, to)
    }
  }

  override def load(from: ByteReader): Unit = {
    begun = from.getByte == 1
    if (begun) {
      loadState(from)
      settled = from.getByte == 1
      returned ++= codec.read(from)
    }
  }
}

/** Values that were returned, as they are stored. */
private[sparkcsql] final class ReturnedCodec(dataType: DataType) {
  private lazy val toUnsafe = UnsafeProjection.create(Array(dataType))
  private val field = new GenericInternalRow(1)

  def write(values: collection.Seq[Any], to: ByteWriter): Unit = {
    to.putInt(values.length)
    values.foreach { value =>
      field.update(0, value)
      to.putBytes(toUnsafe(field).getBytes)
    }
  }

  def read(from: ByteReader): Seq[Any] = Seq.fill(from.getInt) {
    val bytes = from.getBytes
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    row.get(0, dataType)
  }
}

/** A run over tuples that stay. The version for windows finds them in its window. */
final class StayingRun(program: AggregateProgram, task: AggregateTask) {
  private val window =
    if (program.isWindow && !task.keepsWindow) Some(new LocalTable(program.argumentTypes.length)) else None
  private val run = task.run(window)

  def isBegun: Boolean = run.isBegun
  def tuple(arguments: UnsafeRow, keepsAll: Boolean = false): Unit = {
    window.foreach(_.insert(arguments))
    run.tuple(arguments, keepsAll)
  }
  def answer: Any = run.answer
  def close(): Unit = run.close()
  def save(to: ByteWriter): Unit = {
    run.save(to)
    window.foreach(_.save(to))
  }
  def load(from: ByteReader): Unit = {
    run.load(from)
    window.foreach(_.load(from))
  }
}
