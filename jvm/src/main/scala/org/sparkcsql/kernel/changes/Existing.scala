package org.sparkcsql.kernel.changes

import java.util.{HashMap, LinkedHashMap}

/** What becomes of a left row that has a partner, or none. */
sealed trait ExistenceKind extends Product with Serializable
object ExistenceKind {
  case object Semi extends ExistenceKind
  case object Anti extends ExistenceKind

  /** Each left row stays, with a flag. */
  case object Flag extends ExistenceKind
}

/**
 * Looks for partners of left rows, of which there may be many: IN, EXISTS and their negations.
 *
 * @param flagged a left row with its flag
 */
final class Existing[R <: AnyRef](
    kind: ExistenceKind,
    rows: JoinRows[R],
    flagged: (R, Boolean) => R,
    out: Receiver[R]) {
  private final class Entry(val id: RowId, val row: R) {
    var partners = 0L
  }
  private final class Rights {
    var count = 0L

    /** The rows themselves, where a condition has to look at them. */
    val rows = new LinkedHashMap[RowId, R]
  }
  private val lefts = new HashMap[AnyRef, LinkedHashMap[RowId, Entry]]
  private val rights = new HashMap[AnyRef, Rights]

  private def show(id: RowId, row: R, found: Boolean, come: Boolean): Unit = kind match {
    case ExistenceKind.Flag =>
      val shown = flagged(row, found)
      if (come) out.insert(id, shown) else out.delete(id, shown)
    case _ if found == (kind == ExistenceKind.Semi) => if (come) out.insert(id, row) else out.delete(id, row)
    case _ =>
  }

  private def partnersOf(key: AnyRef, row: R): Long = {
    val found = if (key == null) null else rights.get(key)
    if (found == null) 0
    else rows.condition.fold(found.count) { holds =>
      var count = 0L
      found.rows.values.forEach(other => if (holds(row, other)) count += 1)
      count
    }
  }

  val left: Receiver[R] = new Receiver[R] {
    override def insert(id: RowId, row: R): Unit = {
      val key = rows.leftKey(row)
      val entry = new Entry(id, row)
      entry.partners = partnersOf(key, row)
      if (key != null) lefts.computeIfAbsent(key, _ => new LinkedHashMap[RowId, Entry]).put(id, entry)
      show(id, row, entry.partners > 0, come = true)
    }

    override def delete(id: RowId, row: R): Unit = {
      val key = rows.leftKey(row)
      if (key != null) {
        val bucket = lefts.get(key)
        bucket.remove(id)
        if (bucket.isEmpty) lefts.remove(key)
      }
      show(id, row, partnersOf(key, row) > 0, come = false)
    }
  }

  val right: Receiver[R] = new Receiver[R] {
    override def insert(id: RowId, row: R): Unit = {
      val key = rows.rightKey(row)
      if (key != null) {
        val own = rights.computeIfAbsent(key, _ => new Rights)
        own.count += 1
        if (rows.condition.isDefined) own.rows.put(id, row)
        // without a condition the first partner of one left row is that of all of them
        if (rows.condition.isDefined || own.count == 1) turn(key, row, 1)
      }
    }

    override def delete(id: RowId, row: R): Unit = {
      val key = rows.rightKey(row)
      if (key != null) {
        val own = rights.get(key)
        own.count -= 1
        own.rows.remove(id)
        if (own.count == 0) rights.remove(key)
        if (rows.condition.isDefined || own.count == 0) turn(key, row, -1)
      }
    }

    private def turn(key: AnyRef, row: R, by: Long): Unit = {
      val bucket = lefts.get(key)
      if (bucket != null) bucket.values.forEach { entry =>
        if (rows.condition.forall(_(entry.row, row))) {
          val before = entry.partners > 0
          entry.partners = if (rows.condition.isDefined) entry.partners + by else math.max(0L, by)
          if (before != entry.partners > 0) {
            show(entry.id, entry.row, before, come = false)
            show(entry.id, entry.row, !before, come = true)
          }
        }
      }
    }
  }
}
