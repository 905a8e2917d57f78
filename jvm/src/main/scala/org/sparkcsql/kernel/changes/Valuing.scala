package org.sparkcsql.kernel.changes

import java.util.{HashMap, LinkedHashMap, LinkedHashSet}

/**
 * Puts the value of a subquery beside each left row: its one partner, or none. The row stays the
 * same one when the value changes.
 */
final class Valuing[R <: AnyRef](rows: JoinRows[R], out: Receiver[R]) extends Settling {
  private final class Entry(val id: RowId, val row: R) {
    var shown: Option[R] = None
  }
  private val nobody = null.asInstanceOf[R]
  private val lefts = new HashMap[AnyRef, LinkedHashMap[RowId, Entry]]
  private val rights = new HashMap[AnyRef, LinkedHashMap[RowId, R]]
  private val touched = new LinkedHashMap[RowId, (AnyRef, Entry)]
  private val touchedKeys = new LinkedHashSet[AnyRef]

  val left: Receiver[R] = new Receiver[R] {
    override def insert(id: RowId, row: R): Unit = {
      val key = rows.leftKey(row)
      if (key == null) out.insert(id, rows.pair(row, nobody))
      else {
        val entry = new Entry(id, row)
        lefts.computeIfAbsent(key, _ => new LinkedHashMap[RowId, Entry]).put(id, entry)
        touched.put(id, (key, entry)): Unit
      }
    }

    override def delete(id: RowId, row: R): Unit = {
      val key = rows.leftKey(row)
      if (key == null) out.delete(id, rows.pair(row, nobody))
      else {
        val bucket = lefts.get(key)
        val entry = bucket.remove(id)
        if (bucket.isEmpty) lefts.remove(key)
        touched.remove(id)
        entry.shown.foreach(out.delete(id, _))
      }
    }
  }

  val right: Receiver[R] = new Receiver[R] {
    override def insert(id: RowId, row: R): Unit = {
      val key = rows.rightKey(row)
      if (key != null) {
        rights.computeIfAbsent(key, _ => new LinkedHashMap[RowId, R]).put(id, row)
        touchedKeys.add(key): Unit
      }
    }

    override def delete(id: RowId, row: R): Unit = {
      val key = rows.rightKey(row)
      if (key != null) {
        val bucket = rights.get(key)
        bucket.remove(id)
        if (bucket.isEmpty) rights.remove(key)
        touchedKeys.add(key): Unit
      }
    }
  }

  override def settle(): Unit = {
    touchedKeys.forEach { key =>
      val bucket = lefts.get(key)
      if (bucket != null) bucket.values.forEach(entry => touched.put(entry.id, (key, entry)): Unit)
    }
    touchedKeys.clear()
    touched.values.forEach { case (key, entry) => show(entry, partner(key, entry.row)) }
    touched.clear()
  }

  private def partner(key: AnyRef, row: R): R = {
    var found = nobody
    val bucket = rights.get(key)
    if (bucket != null) bucket.values.forEach { other =>
      if (rows.condition.forall(_(row, other))) {
        if (found != null) rows.tooMany()
        found = other
      }
    }
    found
  }

  private def show(entry: Entry, value: R): Unit = {
    val now = Some(rows.pair(entry.row, value))
    if (entry.shown != now) {
      entry.shown.foreach(out.delete(entry.id, _))
      now.foreach(out.insert(entry.id, _))
      entry.shown = now
    }
  }
}
