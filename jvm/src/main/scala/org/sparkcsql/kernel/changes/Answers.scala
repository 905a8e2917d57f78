package org.sparkcsql.kernel.changes

import java.util.{LinkedHashMap, TreeMap}

import scala.collection.mutable.ArrayBuffer

/** Takes the rows of an answer, in order. */
trait AnswerSink[R] {
  def row(id: RowId, row: R, instant: Long): Unit

  /** An evaluation is complete. */
  def evaluated(): Unit
}

/** The rows that were not there at the last answer, told by the tuples they come from. */
final class NewRows[R](sink: AnswerSink[R]) extends Answering {
  val changes = new NetChanges[R]
  override def answer(instant: Long): Unit = {
    changes.added.foreach { case (id, row) => sink.row(id, row, instant) }
    changes.clear()
    sink.evaluated()
  }
  override def skip(): Unit = changes.clear()
}

/**
 * The groups that got rows since the last answer.
 *
 * @param distinct whether groups stand for equal rows: then those that had none before, in the order
 *   of the rows they got
 */
final class NewGroups[R <: AnyRef](distinct: Boolean, sink: AnswerSink[R]) extends Answering {

  /** To be set when the operator is made. */
  var grouping: Grouping[R, _] = _

  override def answer(instant: Long): Unit = {
    val groups = grouping.fresh()
    val told =
      if (distinct) groups.filter(_.isNew).sortWith((a, b) => a.first.compareTo(b.first) < 0) else groups
    told.foreach(group => sink.row(group.id, group.row, instant))
    sink.evaluated()
  }
  override def skip(): Unit = grouping.fresh(): Unit
}

/** RSTREAM: the whole relation. */
final class AllRows[R](sink: AnswerSink[R]) extends Answering with Receiver[R] {
  private val rows = new TreeMap[RowId, R]
  override def insert(id: RowId, row: R): Unit = rows.put(id, row): Unit
  override def delete(id: RowId, row: R): Unit = rows.remove(id): Unit
  override def answer(instant: Long): Unit = {
    rows.forEach((id, row) => sink.row(id, row, instant))
    sink.evaluated()
  }
  override def skip(): Unit = ()
}

/**
 * ISTREAM and DSTREAM: by how many rows the relation has more, or fewer, than at the last answer.
 *
 * @param valueOf what of a row is compared
 */
final class Differences[R](inserted: Boolean, valueOf: R => R, sink: AnswerSink[R]) extends Answering {
  val changes = new NetChanges[R]

  override def answer(instant: Long): Unit = {
    val (gained, lost) = changes.replaced
    changes.clear()
    // of equal rows, the last of those gained are new, and the first of those lost are gone
    val told =
      if (inserted) without(gained.reverse, lost).reverse
      else without(lost, gained)
    told.foreach { case (id, row) => sink.row(id, row, instant) }
    sink.evaluated()
  }

  /** So many rows as there are more of them than of equal ones on the other side. */
  private def without(
      rows: ArrayBuffer[(RowId, R)],
      others: ArrayBuffer[(RowId, R)]): ArrayBuffer[(RowId, R)] = {
    val surplus = new LinkedHashMap[R, Int]
    rows.foreach { case (_, row) => surplus.merge(valueOf(row), 1, _ + _) }
    others.foreach { case (_, row) => surplus.merge(valueOf(row), -1, _ + _) }
    rows.filter { case (_, row) =>
      val left = surplus.get(valueOf(row))
      if (left > 0) surplus.put(valueOf(row), left - 1): Unit
      left > 0
    }
  }

  override def skip(): Unit = changes.clear()
}
