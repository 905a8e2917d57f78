package org.sparkcsql.stream

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types._
import org.sparkcsql.kernel.{ByteWriter, Shelf}

/** What a row of the state belongs to. */
private[stream] object StateKind {
  val Partition = 0
  val Waiting = 1
  val Deadlines = 2
  val Key = 3
  val Group = 4

  /** Chunks of a key's sequences, then of a group's: one kind for each sequence. */
  val KeyParts = 1000
  val GroupParts = 1000000
}

/** Numbered pieces of bytes under an owner. */
private[sparkcsql] trait StateShelf {
  def get(kind: Int, owner: Array[Byte], no: Long): Array[Byte]
  def put(kind: Int, owner: Array[Byte], no: Long, piece: Array[Byte]): Unit
  def remove(kind: Int, owner: Array[Byte], no: Long): Unit

  /** Puts what was written, unless it is stored already; a writer with missing bytes is kept until they are there. */
  def put(kind: Int, owner: Array[Byte], piece: ByteWriter, stored: Array[Byte]): Unit

  def of(kind: Int, owner: Array[Byte]): Shelf = new Shelf {
    override def get(no: Long): Array[Byte] = StateShelf.this.get(kind, owner, no)
    override def put(no: Long, piece: Array[Byte]): Unit = StateShelf.this.put(kind, owner, no, piece)
    override def remove(no: Long): Unit = StateShelf.this.remove(kind, owner, no)
  }
}

/** For programs over tables, which keep everything in memory. */
private[sparkcsql] object NoStateShelf extends StateShelf {
  override def get(kind: Int, owner: Array[Byte], no: Long): Array[Byte] = null
  override def put(kind: Int, owner: Array[Byte], no: Long, piece: Array[Byte]): Unit =
    throw new IllegalStateException("a table has no state")
  override def put(kind: Int, owner: Array[Byte], piece: ByteWriter, stored: Array[Byte]): Unit =
    throw new IllegalStateException("a table has no state")
  override def remove(kind: Int, owner: Array[Byte], no: Long): Unit = ()
}

/** Spark's state store: the one layout for all programs and providers. */
private[stream] final class StoreShelf(store: StateStore, counts: StateCounts) extends StateShelf {
  private val keys = new UnsafeRowWriter(StateShelf.keySchema.length, 64)
  private val values = new UnsafeRowWriter(StateShelf.valueSchema.length, 256)
  private val incomplete = new ArrayBuffer[() => Unit]

  private def key(kind: Int, owner: Array[Byte], no: Long): UnsafeRow = {
    keys.reset()
    keys.zeroOutNullBytes()
    keys.write(0, kind)
    keys.write(1, owner)
    keys.write(2, no)
    keys.getRow
  }

  private def value(piece: Array[Byte]): UnsafeRow = {
    values.reset()
    values.zeroOutNullBytes()
    values.write(0, piece)
    values.getRow
  }

  override def get(kind: Int, owner: Array[Byte], no: Long): Array[Byte] = {
    val started = System.nanoTime()
    val value = store.get(key(kind, owner, no))
    val bytes = if (value == null) null else value.getBinary(0)
    counts.stateNanos += System.nanoTime() - started
    bytes
  }

  override def put(kind: Int, owner: Array[Byte], no: Long, piece: Array[Byte]): Unit = {
    val started = System.nanoTime()
    store.put(key(kind, owner, no), value(piece))
    counts.updated += 1
    counts.stateNanos += System.nanoTime() - started
  }

  override def put(kind: Int, owner: Array[Byte], piece: ByteWriter, stored: Array[Byte]): Unit =
    if (piece.isComplete) {
      val bytes = piece.result
      if (!Arrays.equals(bytes, stored)) put(kind, owner, 0, bytes)
    } else incomplete += (() => put(kind, owner, 0, piece.result))

  /** Puts what had missing bytes. */
  def complete(): Unit = {
    incomplete.foreach(_())
    incomplete.clear()
  }

  override def remove(kind: Int, owner: Array[Byte], no: Long): Unit = {
    val started = System.nanoTime()
    store.remove(key(kind, owner, no))
    counts.removed += 1
    counts.stateNanos += System.nanoTime() - started
  }

  /**
   * Owners of a kind with their first piece, in no order; what is changed on the way may be missing.
   *
   * @param most how many pieces of all kinds are looked at
   */
  def owners(kind: Int, most: Int): Iterator[(Array[Byte], Array[Byte])] =
    store.iterator().take(most).filter(_.key.getInt(0) == kind).map(pair =>
      (pair.key.getBinary(1), pair.value.getBinary(0)))
}

object StateShelf {
  val keySchema: StructType = StructType(
    Seq(
      StructField("kind", IntegerType, nullable = false),
      StructField("owner", BinaryType, nullable = false),
      StructField("no", LongType, nullable = false)))
  val valueSchema: StructType = StructType(Seq(StructField("piece", BinaryType, nullable = false)))
}

/** What one task did; the operator adds it to its metrics. */
final class StateCounts extends Serializable {
  var updated = 0L
  var removed = 0L
  var late = 0L
  var stateNanos = 0L
}
