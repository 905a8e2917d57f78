package org.sparkcsql.stream

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.{DataType, IntegerType, LongType}
import org.sparkcsql.kernel.changes._
import org.sparkcsql.plan.RelationTree

/**
 * The place of a row among those that all tasks make at an instant: what its id is ordered by, in
 * columns. Places of tuples stand for the numbers that a task has given them.
 *
 * @param tuple the columns of the place of a tuple
 */
private[sparkcsql] final class RowPlaces(tree: RelationTree, tuple: Seq[DataType]) {
  import RelationTree._

  private val widths = new IdentityHashMap[RelationTree, Int]
  private def width(of: RelationTree): Int =
    widths.computeIfAbsent(of, RowPlaces.types(_, tuple).get.length)

  def write(id: RowId, to: InternalRow, from: Int): Unit = {
    var i = from
    while (i < from + width(tree)) {
      to.setNullAt(i)
      i += 1
    }
    part(tree, id, to, from)
  }

  private def part(of: RelationTree, id: RowId, to: InternalRow, at: Int): Unit = (of, id) match {
    case (_, NoRow) =>
    case (_: Stream, one: TupleId) => copy(one.place.asInstanceOf[UnsafeRow], tuple, to, at)
    case (_: Table, one: TupleId) => to.update(at, one.number)
    case (Select(_, child), _) => part(child, id, to, at)
    case (Compute(_, _, child), _) => part(child, id, to, at)
    case (Expand(_, _, child), pair: PairId) =>
      part(child, pair.left, to, at)
      to.update(at + width(child), pair.right.asInstanceOf[TupleId].number)
    case (Join(_, _, left, right), pair: PairId) =>
      part(left, pair.left, to, at)
      part(right, pair.right, to, at + width(left))
    case (Value(_, left, _), _) => part(left, id, to, at)
    case (Exists(_, _, _, left, _), _) => part(left, id, to, at)
    case (group: Group, one: GroupId[_]) =>
      copy(one.key.asInstanceOf[UnsafeRow], group.types.take(group.keys.length), to, at)
    case (Distinct(child), _) => part(child, id, to, at)
    case (Bag(_, left, right), one: SideId) =>
      to.update(at, one.side)
      if (one.side == 0) part(left, one.row, to, at + 1)
      else part(right, one.row, to, at + 1 + width(left))
    case _ => throw new IllegalStateException(s"a row of $of is not told by $id")
  }

  private def copy(row: UnsafeRow, types: Seq[DataType], to: InternalRow, at: Int): Unit = {
    var i = 0
    types.foreach { of =>
      if (!row.isNullAt(i)) to.update(at + i, row.get(i, of))
      i += 1
    }
  }
}

private[sparkcsql] object RowPlaces {
  import RelationTree._

  /** The columns of a place; none where rows are ordered by what a task alone has counted. */
  def types(tree: RelationTree, tuple: Seq[DataType]): Option[Seq[DataType]] = tree match {
    case _: Stream => Some(tuple)
    case _: Table => Some(Seq(LongType))
    case Select(_, child) => types(child, tuple)
    case Compute(_, _, child) => types(child, tuple)
    case Expand(_, _, child) => types(child, tuple).map(_ :+ LongType)
    case Join(_, _, left, right) => both(left, right, tuple)
    case Value(_, left, _) => types(left, tuple)
    case Exists(_, _, _, left, _) => types(left, tuple)
    case group: Group => Some(group.types.take(group.keys.length))
    case Distinct(child) => types(child, tuple)
    case Bag(BagKind.UnionAll, left, right) => both(left, right, tuple).map(IntegerType +: _)
    case _: Bag | _: Top => None
  }

  private def both(left: RelationTree, right: RelationTree, tuple: Seq[DataType]): Option[Seq[DataType]] =
    for (l <- types(left, tuple); r <- types(right, tuple)) yield l ++ r
}
