package org.sparkcsql.aggregates

import java.util.{ArrayDeque, HashMap}

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Place}

/**
 * A row of a local table.
 *
 * @param number how many rows the table had got when it came
 * @param place where the tuple stands in the window, for rows of `inwindow`
 * @param row null once it is deleted
 */
final class LocalRow(val number: Long, val place: Place, var row: UnsafeRow) {
  def isLive: Boolean = row != null
}

/**
 * Finds the rows of a table by the values of some columns.
 *
 * @param ofRow takes the columns out of a row of the table
 */
final class TableKey(val columns: Seq[Int], val ofRow: UnsafeProjection)

/** The rows of one local table, in the order in which they came. */
class LocalTable(fields: Int) {
  import LocalTable._

  protected val rows = new ArrayDeque[LocalRow]
  protected var live = 0
  protected var came = 0L
  private var indexes: List[Index] = Nil

  def size: Int = live

  def insert(row: UnsafeRow, place: Place = nowhere): Unit = {
    came += 1
    val added = new LocalRow(came, place, row)
    rows.addLast(added)
    live += 1
    indexes.foreach(_.add(added))
  }

  /** The oldest row, or null. */
  def first: LocalRow = {
    while (!rows.isEmpty && !rows.peekFirst.isLive) rows.pollFirst()
    rows.peekFirst
  }

  def all: Iterator[LocalRow] =
    if (rows.size == 1 && rows.peekFirst.isLive) Iterator.single(rows.peekFirst)
    else rows.iterator.asScala.filter(_.isLive)

  /** The rows whose key is equal, and perhaps others. */
  def near(key: TableKey, value: => UnsafeRow): Iterator[LocalRow] =
    if (live <= Small) all else index(key).find(value)

  /** The values of the other row are taken over. */
  def replace(old: LocalRow, row: UnsafeRow): Unit = {
    indexes.foreach(_.move(old, row))
    old.row.copyFrom(row)
  }

  def delete(old: LocalRow): Unit = {
    indexes.foreach(_.remove(old))
    old.row = null
    live -= 1
    if (live == 0) {
      rows.clear()
      indexes = Nil
    } else if (rows.size > 2 * live + Small) rows.removeIf(row => !row.isLive): Unit
  }

  private def index(key: TableKey): Index = indexes.find(_.key.columns == key.columns).getOrElse {
    val made = new Index(key)
    all.foreach(made.add)
    indexes ::= made
    made
  }

  def save(to: ByteWriter): Unit = {
    to.putLong(came)
    to.putInt(live)
    all.foreach(write(_, to))
  }

  def load(from: ByteReader): Unit = {
    came = from.getLong
    live = from.getInt
    (0 until live).foreach(_ => rows.addLast(read(from)))
  }

  protected def write(row: LocalRow, to: ByteWriter): Unit = {
    to.putLong(row.number)
    to.putLong(row.place.leave)
    to.putLong(row.place.time)
    to.putBytes(row.row.getBytes)
  }

  protected def read(from: ByteReader): LocalRow = {
    val number = from.getLong
    val place = Place(Long.MinValue, from.getLong, from.getLong)
    val bytes = from.getBytes
    val row = new UnsafeRow(fields)
    row.pointTo(bytes, bytes.length)
    new LocalRow(number, place, row)
  }
}

object LocalTable {

  /** Tables of so few rows are read through. */
  private val Small = 16
  private val nowhere = Place(Long.MinValue, Long.MaxValue, Long.MinValue)

  private final class Index(val key: TableKey) {
    private val byKey = new HashMap[UnsafeRow, ArrayBuffer[LocalRow]]

    def add(row: LocalRow): Unit = put(key.ofRow(row.row), row)

    /** Rows that came earlier stay before those that came later. */
    private def put(value: UnsafeRow, row: LocalRow): Unit = {
      val known = byKey.get(value)
      if (known == null) byKey.put(value.copy(), ArrayBuffer(row)): Unit
      else {
        var at = known.length
        while (at > 0 && known(at - 1).number > row.number) at -= 1
        known.insert(at, row)
      }
    }

    def remove(row: LocalRow): Unit = {
      val value = key.ofRow(row.row)
      val known = byKey.get(value)
      known -= row
      if (known.isEmpty) byKey.remove(value): Unit
    }

    /** The row is about to hold other values. */
    def move(row: LocalRow, to: UnsafeRow): Unit = {
      val before = key.ofRow(row.row).copy()
      if (key.ofRow(to) != before) {
        remove(row)
        put(key.ofRow(to), row)
      }
    }

    def find(value: UnsafeRow): Iterator[LocalRow] = {
      val known = byKey.get(value)
      if (known == null) Iterator.empty else known.iterator.filter(_.isLive)
    }
  }
}
