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

    /** How many right rows it meets; where no condition looks at them, of how many keys. */
    var partners = 0L
  }
  private final class Rights {
    var count = 0L

    /** The rows themselves, where a condition has to look at them. */
    val rows = new LinkedHashMap[RowId, R]
  }
  private type Lefts = LinkedHashMap[RowId, Entry]
  private val lefts = new HashMap[AnyRef, Lefts]
  private val rights = new HashMap[AnyRef, Rights]
  private val looks = rows.condition.isDefined

  private def show(id: RowId, row: R, found: Boolean, come: Boolean): Unit = kind match {
    case ExistenceKind.Flag =>
      val shown = flagged(row, found)
      if (come) out.insert(id, shown) else out.delete(id, shown)
    case _ if found == (kind == ExistenceKind.Semi) => if (come) out.insert(id, row) else out.delete(id, row)
    case _ =>
  }

  /** What the other side holds under the keys that a key meets. */
  private def meeting[T](key: AnyRef, others: HashMap[AnyRef, T])(act: T => Unit): Unit =
    if (key eq JoinRows.Anybody) others.values.forEach(act(_))
    else {
      Option(others.get(key)).foreach(act)
      Option(others.get(JoinRows.Anybody)).foreach(act)
    }

  private def partnersOf(key: AnyRef, row: R): Long = {
    var count = 0L
    if (key != null) meeting(key, rights) { found =>
      rows.condition match {
        case Some(holds) => found.rows.values.forEach(other => if (holds(row, other)) count += 1)
        case None => count += 1
      }
    }
    count
  }

  val left: Receiver[R] = new Receiver[R] {
    override def insert(id: RowId, row: R): Unit = {
      val key = rows.leftKey(row)
      val entry = new Entry(id, row)
      entry.partners = partnersOf(key, row)
      if (key != null) lefts.computeIfAbsent(key, _ => new Lefts).put(id, entry)
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
        if (looks) own.rows.put(id, row)
        if (looks || own.count == 1) turn(key, row, 1)
      }
    }

    override def delete(id: RowId, row: R): Unit = {
      val key = rows.rightKey(row)
      if (key != null) {
        val own = rights.get(key)
        own.count -= 1
        own.rows.remove(id)
        if (own.count == 0) rights.remove(key)
        if (looks || own.count == 0) turn(key, row, -1)
      }
    }

    override def needs(row: R): Boolean = {
      val key = rows.rightKey(row)
      key != null && (looks || !rights.containsKey(key))
    }

    private def turn(key: AnyRef, row: R, by: Long): Unit = meeting(key, lefts) { bucket =>
      bucket.values.forEach { entry =>
        if (rows.condition.forall(_(entry.row, row))) {
          val before = entry.partners > 0
          entry.partners += by
          if (before != entry.partners > 0) {
            show(entry.id, entry.row, before, come = false)
            show(entry.id, entry.row, !before, come = true)
          }
        }
      }
    }
  }
}
