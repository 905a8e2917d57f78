package org.sparkcsql.aggregates

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.scalatest.funsuite.AnyFunSuite
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Place, Shelf}

/** A window in chunks holds what one in memory does, however often it is put away and taken out again. */
class WindowTableSuite extends AnyFunSuite {
  private final class MapShelf extends Shelf {
    val pieces = mutable.LongMap.empty[Array[Byte]]
    var puts = 0
    override def get(no: Long): Array[Byte] = pieces.getOrElse(no, null)
    override def put(no: Long, piece: Array[Byte]): Unit = {
      puts += 1
      pieces(no) = piece
    }
    override def remove(no: Long): Unit = {
      assert(pieces.contains(no), s"chunk $no is removed, but was never put")
      pieces.remove(no): Unit
    }
  }

  private def row(value: Long): UnsafeRow = {
    val row = UnsafeRow.createFromByteArray(16, 1)
    row.setLong(0, value)
    row
  }

  private def at(step: Long): Place = Place(Long.MinValue, step + 100, step)

  private def shown(row: LocalRow): (Long, Long, Long) =
    if (row == null) (-1, -1, -1) else (row.row.getLong(0), row.place.leave, row.place.time)

  private def saved(table: WindowTable): Array[Byte] = {
    val to = new ByteWriter
    table.save(to)
    to.result
  }

  private def again(table: WindowTable, shelf: MapShelf, chunk: Int): WindowTable = {
    val taken = new WindowTable(1, shelf, chunk)
    taken.load(new ByteReader(saved(table)))
    taken
  }

  test("the same tuples as in memory, after any mix of changes and restarts") {
    (1 to 3000).foreach { seed =>
      val random = new Random(seed)
      val (shelf, plain, chunk) = (new MapShelf, new LocalTable(1), 1 + random.nextInt(5))
      var chunked = new WindowTable(1, shelf, chunk)
      val growth = random.nextInt(4)
      (1 to 120).foreach { step =>
        random.nextInt(10) match {
          case n if n <= 2 + growth || plain.size == 0 =>
            plain.insert(row(step.toLong), at(step.toLong))
            chunked.insert(row(step.toLong), at(step.toLong))
          case 9 => chunked = again(chunked, shelf, chunk)
          case 8 if random.nextInt(3) == 0 =>
            val which = random.nextInt(plain.size)
            plain.delete(plain.all.drop(which).next())
            chunked.delete(chunked.all.drop(which).next())
          case 7 if random.nextInt(5) == 0 =>
            assert(chunked.all.map(shown).toSeq == plain.all.map(shown).toSeq, s"seed $seed")
          case _ =>
            plain.delete(plain.first)
            chunked.delete(chunked.first)
        }
        assert(chunked.size == plain.size && shown(chunked.first) == shown(plain.first), s"seed $seed")
      }
      assert(chunked.all.map(shown).toSeq == plain.all.map(shown).toSeq, s"seed $seed")
      while (chunked.size > 0) chunked.delete(chunked.first)
      again(chunked, shelf, chunk): Unit
      assert(shelf.pieces.isEmpty, s"seed $seed leaves chunks behind")
    }
  }

  test("a tuple that comes and one that goes cost a chunk of a long window") {
    val shelf = new MapShelf
    var table = new WindowTable(1, shelf)
    (1L to 100000L).foreach(n => table.insert(row(n), at(n)))
    table = again(table, shelf, WindowTable.ChunkSize)
    val before = shelf.puts
    table.delete(table.first)
    table.insert(row(0), at(0))
    assert(saved(table).length < 1000 && shelf.puts <= before + 1)
  }
}
