package org.sparkcsql.kernel.changes

import java.util.LinkedHashMap

import scala.collection.mutable.ArrayBuffer

/** What has changed in a relation since it was looked at: rows that came and went in between are no change. */
final class NetChanges[R] extends Receiver[R] {
  private final class Change(var before: Option[R], var now: Option[R])

  private val changes = new LinkedHashMap[RowId, Change]

  override def insert(id: RowId, row: R): Unit =
    changes.computeIfAbsent(id, _ => new Change(None, None)).now = Some(row)

  override def delete(id: RowId, row: R): Unit = {
    val change = changes.get(id)
    if (change == null) changes.put(id, new Change(Some(row), None))
    else if (change.before.isEmpty) changes.remove(id)
    else change.now = None
  }

  def isEmpty: Boolean = changes.isEmpty

  def clear(): Unit = changes.clear()

  /** Rows that are there now and were not, in order. */
  def added: ArrayBuffer[(RowId, R)] = {
    val rows = new ArrayBuffer[(RowId, R)]
    changes.forEach((id, change) => if (change.before.isEmpty) change.now.foreach(row => rows += ((id, row))))
    rows.sortInPlace()(NetChanges.byId[R]): Unit
    rows
  }

  /** Rows by which the relation differs in value from what it was: those gained, and those lost, in order. */
  def replaced: (ArrayBuffer[(RowId, R)], ArrayBuffer[(RowId, R)]) = {
    val (gained, lost) = (new ArrayBuffer[(RowId, R)], new ArrayBuffer[(RowId, R)])
    changes.forEach { (id, change) =>
      if (change.before != change.now) {
        change.now.foreach(row => gained += ((id, row)))
        change.before.foreach(row => lost += ((id, row)))
      }
    }
    gained.sortInPlace()(NetChanges.byId[R]): Unit
    lost.sortInPlace()(NetChanges.byId[R]): Unit
    (gained, lost)
  }
}

private object NetChanges {
  def byId[R]: Ordering[(RowId, R)] = (a, b) => a._1.compareTo(b._1)
}
