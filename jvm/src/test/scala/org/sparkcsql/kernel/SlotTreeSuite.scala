package org.sparkcsql.kernel

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Rows that come and go in any order are merged in the order of their slots. */
class SlotTreeSuite extends AnyFunSuite {
  private object Texts extends Aggregation[String, StringBuilder] {
    override def create(): StringBuilder = new StringBuilder
    override def add(text: StringBuilder, row: String): Unit = text.append(row): Unit
    override def merge(older: StringBuilder, newer: StringBuilder): Unit = older.append(newer): Unit
    override def copy(text: StringBuilder): StringBuilder = new StringBuilder(text.toString)
  }

  private object Sums extends Aggregation[Double, Array[Double]] {
    var merges = 0
    override def create(): Array[Double] = Array(0.0)
    override def add(sum: Array[Double], row: Double): Unit = sum(0) += row
    override def merge(older: Array[Double], newer: Array[Double]): Unit = {
      merges += 1
      older(0) += newer(0)
    }
    override def copy(sum: Array[Double]): Array[Double] = sum.clone()
  }

  test("the same as all rows in order, after any changes") {
    (1 to 2000).foreach { seed =>
      val random = new Random(seed)
      val (tree, rows) = (new SlotTree(Texts), mutable.SortedMap.empty[Long, String])
      var slot = random.nextInt(1000).toLong
      (1 to 100).foreach { step =>
        if (rows.isEmpty || random.nextInt(3) > 0) {
          slot += random.nextInt(4)
          tree.add(slot, s"$step ")
          rows(slot) = rows.getOrElse(slot, "") + s"$step "
        } else {
          val gone = rows.keysIterator.drop(random.nextInt(rows.size)).next()
          tree.remove(gone)
          rows.remove(gone)
        }
        assert(tree.current.toString == rows.valuesIterator.mkString, s"seed $seed")
        assert(tree.isEmpty == rows.isEmpty, s"seed $seed")
      }
    }
  }

  test("sums of doubles depend on what is there, not on what was there before") {
    val random = new Random(1)
    val values = Seq.fill(500)(random.nextDouble())
    val (grown, made) = (new SlotTree(Sums), new SlotTree(Sums))
    values.indices.foreach(i => grown.add(i.toLong, values(i)))
    values.indices.filter(_ % 3 == 0).foreach(i => grown.remove(i.toLong))
    random.shuffle(values.indices.filter(_ % 3 != 0).toList).foreach(i => made.add(i.toLong, values(i)))
    assert(grown.current(0) == made.current(0))
  }

  test("a change costs few merges in a large window") {
    val tree = new SlotTree(Sums)
    (1L to 100000L).foreach(tree.add(_, 1))
    val before = Sums.merges
    tree.remove(5000)
    tree.add(100001, 1)
    assert(tree.current(0) == 100000 && Sums.merges - before < 40)
  }
}
