package org.sparkcsql.kernel.changes

import java.util.Comparator

/**
 * Which row of a relation a row is: the tuples that it comes from. Rows are ordered by it, as their
 * tuples are, those of the first item of FROM first.
 */
sealed abstract class RowId extends Comparable[RowId]

/**
 * A tuple of a stream, a row of a table, or a place in a ranking.
 *
 * @param place what orders it among the tuples of all tasks, where that is asked
 */
final class TupleId(val number: Long, val place: Any = null) extends RowId {
  override def hashCode: Int = java.lang.Long.hashCode(number * 0x9e3779b97f4a7c15L)
  override def equals(other: Any): Boolean = other match {
    case that: TupleId => that.number == number
    case _ => false
  }
  override def compareTo(other: RowId): Int = other match {
    case that: TupleId => java.lang.Long.compare(number, that.number)
    case _ => RowId.byKind(this, other)
  }
}

/** What an outer join puts where there is no row. */
case object NoRow extends RowId {
  override def compareTo(other: RowId): Int = RowId.byKind(this, other)
}

final class PairId(val left: RowId, val right: RowId) extends RowId {
  override val hashCode: Int = left.hashCode * 31 + right.hashCode
  override def equals(other: Any): Boolean = other match {
    case that: PairId => that.hashCode == hashCode && that.left == left && that.right == right
    case _ => false
  }
  override def compareTo(other: RowId): Int = other match {
    case that: PairId =>
      val byLeft = left.compareTo(that.left)
      if (byLeft != 0) byLeft else right.compareTo(that.right)
    case _ => RowId.byKind(this, other)
  }
}

/** A row of one of several sides, or one of several that a row has become. */
final class SideId(val side: Int, val row: RowId) extends RowId {
  override val hashCode: Int = row.hashCode * 31 + side
  override def equals(other: Any): Boolean = other match {
    case that: SideId => that.side == side && that.row == row
    case _ => false
  }
  override def compareTo(other: RowId): Int = other match {
    case that: SideId =>
      val bySide = Integer.compare(side, that.side)
      if (bySide != 0) bySide else row.compareTo(that.row)
    case _ => RowId.byKind(this, other)
  }
}

/** The row of a group; each change of the group makes it another one. */
final class GroupId[R](val key: R, val version: Long, order: Comparator[R]) extends RowId {
  override val hashCode: Int = key.hashCode * 31 + java.lang.Long.hashCode(version)
  override def equals(other: Any): Boolean = other match {
    case that: GroupId[_] => that.version == version && that.key == key
    case _ => false
  }
  override def compareTo(other: RowId): Int = other match {
    case that: GroupId[_] =>
      val byKey = order.compare(key, that.key.asInstanceOf[R])
      if (byKey != 0) byKey else java.lang.Long.compare(version, that.version)
    case _ => RowId.byKind(this, other)
  }
}

private object RowId {
  private def kind(id: RowId): Int = id match {
    case NoRow => 0
    case _: TupleId => 1
    case _: PairId => 2
    case _: SideId => 3
    case _: GroupId[_] => 4
  }

  /** Rows that stand at the same place of a relation are of one kind, or there is none. */
  def byKind(one: RowId, other: RowId): Int = Integer.compare(kind(one), kind(other))
}
