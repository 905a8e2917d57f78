package org.sparkcsql.kernel.changes

import java.util.{HashMap, LinkedHashMap}

/** Which rows a join gives. */
sealed abstract class JoinKind(val keepsLeft: Boolean, val keepsRight: Boolean)
    extends Product
    with Serializable
object JoinKind {
  case object Inner extends JoinKind(false, false)
  case object LeftOuter extends JoinKind(true, false)
  case object RightOuter extends JoinKind(false, true)
  case object FullOuter extends JoinKind(true, true)
}

/**
 * What a join knows of rows.
 *
 * @param leftKey what must be equal in both rows; null if the row has no partner whatever the other side holds, and
 *   where partners are only looked for, [[JoinRows.Anybody]] if it may be equal to anything
 * @param condition what must hold beside it
 * @param pair the row of a pair; one side may be null
 * @param tooMany what happens when a row has several partners that may have one
 */
final class JoinRows[R <: AnyRef](
    val leftKey: R => AnyRef,
    val rightKey: R => AnyRef,
    val condition: Option[(R, R) => Boolean],
    val pair: (R, R) => R,
    val tooMany: () => Nothing)

object JoinRows {
  val Anybody = new Object
}

/** Joins two relations that change: work is done for the partners of the row that comes or goes. */
final class Joining[R <: AnyRef](kind: JoinKind, rows: JoinRows[R], out: Receiver[R]) {
  private final class Entry(val id: RowId, val row: R) {
    var partners = 0
  }
  private type Bucket = LinkedHashMap[RowId, Entry]
  private val (lefts, rights) = (new HashMap[AnyRef, Bucket], new HashMap[AnyRef, Bucket])

  val left: Receiver[R] = new Side(lefts, rights, rows.leftKey, kind.keepsLeft, kind.keepsRight) {
    override def id(own: RowId, other: RowId): RowId = new PairId(own, other)
    override def pair(own: R, other: R): R = rows.pair(own, other)
    override def matches(own: R, other: R): Boolean = rows.condition.forall(_(own, other))
  }

  val right: Receiver[R] = new Side(rights, lefts, rows.rightKey, kind.keepsRight, kind.keepsLeft) {
    override def id(own: RowId, other: RowId): RowId = new PairId(other, own)
    override def pair(own: R, other: R): R = rows.pair(other, own)
    override def matches(own: R, other: R): Boolean = rows.condition.forall(_(other, own))
  }

  private abstract class Side(
      owns: HashMap[AnyRef, Bucket],
      others: HashMap[AnyRef, Bucket],
      keyOf: R => AnyRef,
      keepsOwn: Boolean,
      keepsOther: Boolean)
      extends Receiver[R] {
    def id(own: RowId, other: RowId): RowId
    def pair(own: R, other: R): R
    def matches(own: R, other: R): Boolean

    private val nobody = null.asInstanceOf[R]

    override def insert(own: RowId, row: R): Unit = {
      val key = keyOf(row)
      val entry = new Entry(own, row)
      if (key != null) {
        owns.computeIfAbsent(key, _ => new Bucket).put(own, entry)
        partners(key, row) { other =>
          entry.partners += 1
          if (keepsOther && other.partners == 0) out.delete(id(NoRow, other.id), pair(nobody, other.row))
          other.partners += 1
          out.insert(id(own, other.id), pair(row, other.row))
        }
      }
      if (keepsOwn && entry.partners == 0) out.insert(id(own, NoRow), pair(row, nobody))
    }

    override def delete(own: RowId, row: R): Unit = {
      val key = keyOf(row)
      var partnerCount = 0
      if (key != null) {
        val bucket = owns.get(key)
        bucket.remove(own)
        if (bucket.isEmpty) owns.remove(key)
        partners(key, row) { other =>
          partnerCount += 1
          out.delete(id(own, other.id), pair(row, other.row))
          other.partners -= 1
          if (keepsOther && other.partners == 0) out.insert(id(NoRow, other.id), pair(nobody, other.row))
        }
      }
      if (keepsOwn && partnerCount == 0) out.delete(id(own, NoRow), pair(row, nobody))
    }

    private def partners(key: AnyRef, row: R)(act: Entry => Unit): Unit = {
      val bucket = others.get(key)
      if (bucket != null) bucket.values.forEach(other => if (matches(row, other.row)) act(other))
    }
  }
}
