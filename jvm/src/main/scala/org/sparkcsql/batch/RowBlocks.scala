package org.sparkcsql.batch

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.unsafe.Platform
import org.apache.spark.util.MutablePair

/**
 * Many rows as one: a row of one binary column, which holds the rows one behind the other. A shuffle writes
 * and reads it at once, where it would go through its serializer and several streams for each row.
 *
 * @param columns of the rows in a block
 */
private[sparkcsql] final class RowBlocks(columns: Seq[Attribute]) extends Serializable {
  import RowBlocks._

  private val fields = columns.length

  /** Whether rows are of one size. If not, the size of each stands before it. */
  private val even = columns.forall(column => UnsafeRow.isFixedLength(column.dataType))
  private val evenSize = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
  private val before = if (even) 0 else 8

  /** Rows in blocks, each with the number of the partition that it goes to; rows of a partition stay in order. */
  def pack(
      rows: Iterator[InternalRow],
      parts: Int,
      goal: RowGoal): Iterator[MutablePair[Int, InternalRow]] = new Iterator[MutablePair[Int, InternalRow]] {
    private val blocks = Array.fill(parts)(new Block(math.min(Usual, OfAll / parts)))
    private val full = new ArrayDeque[(Int, UnsafeRow)]
    private val pair = new MutablePair[Int, InternalRow]
    private var group = 0

    override def hasNext: Boolean = {
      while (full.isEmpty && rows.hasNext) take(rows.next().asInstanceOf[UnsafeRow])
      if (full.isEmpty) closeAll()
      !full.isEmpty
    }

    override def next(): MutablePair[Int, InternalRow] = {
      if (!hasNext) throw new NoSuchElementException
      val (partition, block) = full.poll()
      pair.update(partition, block)
    }

    private def take(row: UnsafeRow): Unit = {
      val ofRow = goal.group()
      if (ofRow != group) {
        closeAll()
        group = ofRow
      }
      val part = goal.part(row)
      if (!blocks(part).hasRoomFor(row)) close(part)
      blocks(part).add(row)
    }

    private def closeAll(): Unit = blocks.indices.foreach(close)
    private def close(part: Int): Unit =
      if (!blocks(part).isEmpty) full.add((group * parts + part, blocks(part).result())): Unit
  }

  /** The rows of blocks; one row is used again and again. */
  def unpack(blocks: Iterator[InternalRow]): Iterator[InternalRow] = new Iterator[InternalRow] {
    private val row = new UnsafeRow(fields)
    private var memory: Object = null
    private var at = 0L
    private var end = 0L

    override def hasNext: Boolean = {
      while (at == end && blocks.hasNext) open(blocks.next().asInstanceOf[UnsafeRow])
      at < end
    }

    override def next(): InternalRow = {
      if (!hasNext) throw new NoSuchElementException
      val size = if (even) evenSize else Platform.getLong(memory, at).toInt
      row.pointTo(memory, at + before, size)
      at += before + size
      row
    }

    private def open(block: UnsafeRow): Unit = {
      memory = block.getBaseObject
      at = block.getBaseOffset + Header
      end = block.getBaseOffset + block.getSizeInBytes
    }
  }

  private final class Block(usual: Int) {
    private var bytes = new Array[Byte](0)
    private var used = Header

    def isEmpty: Boolean = used == Header
    def hasRoomFor(row: UnsafeRow): Boolean = isEmpty || used + before + row.getSizeInBytes <= bytes.length

    def add(row: UnsafeRow): Unit = {
      val size = row.getSizeInBytes
      if (isEmpty) bytes = new Array[Byte](math.max(usual, Header + before + size))
      if (!even) Platform.putLong(bytes, place, size.toLong)
      Platform.copyMemory(row.getBaseObject, row.getBaseOffset, bytes, place + before, size.toLong)
      used += before + size
    }

    private def place: Long = Platform.BYTE_ARRAY_OFFSET + used.toLong

    /** The block as a row; the next one begins. */
    def result(): UnsafeRow = {
      val row = new UnsafeRow(1)
      row.pointTo(bytes, used)
      // where the only column begins, and its size
      Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + 8L, (Header.toLong << 32) | (used - Header))
      used = Header
      row
    }
  }
}

/** Where rows go: partitions of a shuffle are parts of groups. */
private[sparkcsql] trait RowGoal {

  /** Asked for once for each row, in their order; rows of a group come together. */
  def group(): Int
  def part(row: InternalRow): Int
}

private object RowBlocks {

  /** What stands before the value of the only column of a row: its bit for NULL, its place and its size. */
  val Header = 16

  /** Bytes of a block, and of all blocks of a task. */
  val Usual: Int = 1 << 15
  val OfAll: Int = 1 << 24
}
