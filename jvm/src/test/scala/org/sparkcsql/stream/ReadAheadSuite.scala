package org.sparkcsql.stream

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Rows that are in the order of a number are put in their whole order, whatever their sizes and however many are equal. */
class ReadAheadSuite extends AnyFunSuite {
  private val toUnsafe = UnsafeProjection.create(Array[DataType](LongType, IntegerType, StringType))
  private val ordering: Ordering[InternalRow] =
    (a: InternalRow, b: InternalRow) => Integer.compare(a.getInt(1), b.getInt(1))

  private type Told = (Long, Int, String)
  private def told(row: UnsafeRow): Told = (row.getLong(0), row.getInt(1), row.getUTF8String(2).toString)

  /** Gives one row again and again, as Spark's sort does. */
  private def source(rows: Seq[Told]): Iterator[UnsafeRow] =
    rows.iterator.map { case (number, rank, text) =>
      toUnsafe(InternalRow(number, rank, UTF8String.fromString(text)))
    }

  private def inOrder(rows: Seq[Told], fewAtMost: Int): Seq[Told] = {
    def sortMany(some: Iterator[UnsafeRow]): Iterator[UnsafeRow] = {
      val copies = some.map(_.copy()).toArray
      assert(copies.length > fewAtMost, "so few rows are held, and not given away")
      java.util.Arrays.sort(copies, ordering)
      copies.iterator
    }
    new ReadAhead(source(rows), 3, _.getLong(0), ordering, sortMany).map(told).toList
  }

  private def check(random: Random, lengths: Seq[Int]): Unit = {
    val numbers = lengths.zipWithIndex.flatMap { case (length, number) => Seq.fill(length)(number.toLong) }
    val ranks = random.shuffle(numbers.indices.toList)
    val rows = numbers.zip(ranks).map { case (number, rank) =>
      (number, rank, "x" * (if (random.nextInt(20) == 0) random.nextInt(2000) else random.nextInt(20)))
    }
    assert(inOrder(rows, fewAtMost = ReadAhead.Most - 1) == rows.sortBy(row => (row._1, row._2)))
  }

  test("rows of which few or many have equal numbers") {
    (1 to 300).foreach { seed =>
      val random = new Random(seed)
      val most = Seq(1, 3, 200)(random.nextInt(3))
      check(random, Seq.fill(random.nextInt(80))(1 + random.nextInt(most)))
    }
  }

  test("more rows of one number than are held, at the start, in the midst and at the end") {
    val (many, random) = (ReadAhead.Most * 2 + 7, new Random(5))
    Seq(
      Seq(many),
      Seq(many, 1, many),
      Seq(3, many, 60, 1),
      Seq(many, many),
      Seq(ReadAhead.Most, 1),
      Seq(63, many))
      .foreach(check(random, _))
  }

  test("no rows") {
    assert(inOrder(Nil, 0) == Nil)
  }
}
