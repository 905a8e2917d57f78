package org.sparkcsql.kernel.changes

import java.util.{HashMap, LinkedHashSet}

import scala.jdk.CollectionConverters._

/** How often equal rows are in a relation: now, at the last answer, and of those that have been there all the time. */
final case class BagCounts(now: Long, before: Long, kept: Long) {

  /** How many of them are new. */
  def fresh: Long = now - math.min(now, math.min(before, kept))
}

/** A side of a set operation whose new rows are asked for. */
trait CountedBag[R] {
  def counts(row: R): BagCounts

  /** The rows that something has happened to since the last answer. */
  def touched: Seq[R]

  /** An answer was given. */
  def answered(): Unit
}

/** A side that is a relation. */
final class CountedSide[R] extends CountedBag[R] with Receiver[R] {
  private final class Tally {
    var now = 0L
    var added = 0L
    var removed = 0L
  }
  private val tallies = new HashMap[R, Tally]
  private val (come, gone) = (new HashMap[RowId, R], new HashMap[RowId, R])
  private val changed = new LinkedHashSet[R]

  override def insert(id: RowId, row: R): Unit = {
    val tally = of(row)
    tally.now += 1
    if (gone.get(id) == row) {
      gone.remove(id)
      tally.removed -= 1
    } else {
      come.put(id, row)
      tally.added += 1
    }
  }

  override def delete(id: RowId, row: R): Unit = {
    val tally = of(row)
    tally.now -= 1
    if (come.get(id) == row) {
      come.remove(id)
      tally.added -= 1
    } else {
      gone.put(id, row)
      tally.removed += 1
    }
  }

  private def of(row: R): Tally = {
    changed.add(row)
    tallies.computeIfAbsent(row, _ => new Tally)
  }

  override def touched: Seq[R] = changed.asScala.toSeq

  override def counts(row: R): BagCounts = {
    val tally = tallies.get(row)
    if (tally == null) BagCounts(0, 0, 0)
    else BagCounts(tally.now, tally.now - tally.added + tally.removed, tally.now - tally.added)
  }

  override def answered(): Unit = {
    changed.forEach { row =>
      val tally = tallies.get(row)
      tally.added = 0
      tally.removed = 0
      if (tally.now == 0) tallies.remove(row)
    }
    come.clear()
    gone.clear()
    changed.clear()
  }
}

final class CountedBags[R](kind: BagKind, left: CountedBag[R], right: CountedBag[R]) extends CountedBag[R] {
  override def counts(row: R): BagCounts = {
    val (l, r) = (left.counts(row), right.counts(row))
    BagCounts(kind.count(l.now, r.now), kind.count(l.before, r.before), kind.count(l.kept, r.kept))
  }
  override def touched: Seq[R] = (left.touched ++ right.touched).distinct
  override def answered(): Unit = {
    left.answered()
    right.answered()
  }
}

/** The new rows of a set operation, in the order of their values; they come from no tuples of their own. */
final class NewOfBags[R](bags: CountedBag[R], order: Ordering[R], sink: AnswerSink[R]) extends Answering {
  override def answer(instant: Long): Unit = {
    bags.touched.map(row => row -> bags.counts(row).fresh).filter(_._2 > 0).sortBy(_._1)(order).foreach {
      case (row, copies) => (0L until copies).foreach(_ => sink.row(NoRow, row, instant))
    }
    bags.answered()
    sink.evaluated()
  }
  override def skip(): Unit = bags.answered()
}
