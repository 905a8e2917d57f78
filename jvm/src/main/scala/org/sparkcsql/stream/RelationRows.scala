package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType
import org.sparkcsql.analyze.ComparedByBytes
import org.sparkcsql.batch.WindowAggregates
import org.sparkcsql.kernel.changes.{Folding, JoinRows}
import org.sparkcsql.plan.{RelationTree, WindowedFunction}

/**
 * What operators on relations do with single rows, as Spark's expressions say.
 *
 * @param expressions those of the query; they refer to columns by their places
 */
private final class RelationRows(expressions: Seq[Expression], partition: Int) {
  private type Row = UnsafeRow

  private def projection(list: Seq[Expression]): UnsafeProjection = {
    val made = UnsafeProjection.create(list)
    made.initialize(partition)
    made
  }

  private def references(types: Seq[DataType]): Seq[Expression] =
    types.zipWithIndex.map { case (of, i) => BoundReference(i, of, nullable = true) }

  def row(list: Seq[Int]): Row => Row = {
    val made = projection(list.map(expressions))
    row => made(row).copy()
  }

  def columns(places: Seq[Int], types: Seq[DataType]): Row => Row = {
    val made = projection(places.map(i => BoundReference(i, types(i), nullable = true)))
    row => made(row).copy()
  }

  def condition(number: Int): Row => Boolean = {
    val made = Predicate.create(expressions(number))
    made.initialize(partition)
    row => made.eval(row)
  }

  def pairCondition(number: Int): (Row, Row) => Boolean = {
    val made = Predicate.create(expressions(number))
    made.initialize(partition)
    val joined = new JoinedRow
    (left, right) => made.eval(joined(left, right))
  }

  /** What must be equal, or null if it is equal to nothing. */
  def key(list: Seq[Int], nullSafe: Seq[Boolean]): Row => AnyRef =
    if (list.isEmpty) _ => RelationRows.AnyKey
    else {
      val made = projection(list.map(expressions))
      val strict = nullSafe.indices.filterNot(nullSafe).toArray
      row => {
        val key = made(row)
        if (strict.exists(key.isNullAt)) null else key.copy()
      }
    }

  /** What must be equal if it is known. */
  def unknownKey(number: Int): Row => AnyRef = {
    val made = projection(Seq(expressions(number)))
    row => {
      val key = made(row)
      if (key.isNullAt(0)) JoinRows.Anybody else key.copy()
    }
  }

  def groupKey(list: Seq[Int]): Row => Row =
    if (list.isEmpty) {
      val whole = new UnsafeRow(0)
      whole.pointTo(Array.emptyByteArray, 0)
      _ => whole
    } else row(list)

  def pair(left: Seq[DataType], right: Seq[DataType]): (Row, Row) => Row = {
    val made = projection(references(left ++ right))
    val joined = new JoinedRow
    val (noLeft, noRight) = (new GenericInternalRow(left.length), new GenericInternalRow(right.length))
    (l, r) => made(joined(if (l == null) noLeft else l, if (r == null) noRight else r)).copy()
  }

  /** A row with a flag behind it. */
  def flagged(types: Seq[DataType]): (Row, Boolean) => Row = {
    val made = projection(references(types))
    val joined = new JoinedRow
    def flag(value: Boolean): InternalRow = new GenericInternalRow(Array[Any](value))
    val (yes, no) = (flag(true), flag(false))
    (row, found) => made(joined(row, if (found) yes else no)).copy()
  }

  /** The first columns of a row, as they are compared. */
  def compared(count: Int, types: Seq[DataType]): Row => Row = {
    val first = references(types).take(count)
    val alike = first.map(ComparedByBytes.normalized)
    if (count == types.length && alike == first) identity
    else {
      val made = projection(alike)
      row => made(row).copy()
    }
  }

  def order(list: Seq[Int]): Ordering[Row] =
    RowOrdering.create(list.map(expressions(_).asInstanceOf[SortOrder]), Nil).asInstanceOf[Ordering[Row]]

  /** Ascending by all columns, NULLs first. */
  def natural(types: Seq[DataType]): Ordering[Row] =
    InterpretedOrdering.forSchema(types).asInstanceOf[Ordering[Row]]

  def folding(group: RelationTree.Group): Folding[Row, _] = {
    val asked = group.functions.map(expressions(_).asInstanceOf[WindowedFunction])
    val exact = asked.flatMap(ExactFunction.of)
    if (exact.length == asked.length) new ExactFolding(exact.toArray, group.types, group.keys.length)
    else adding(group)
  }

  private def adding(group: RelationTree.Group): Folding[Row, _] = {
    val input = group.child.types.map(of => AttributeReference("column", of)())
    val functions = group.functions.map { number =>
      expressions(number).transform { case BoundReference(i, _, _) => input(i) }
        .asInstanceOf[WindowedFunction].toSpark
    }
    val keys = group.types.take(group.keys.length).map(of => AttributeReference("key", of)())
    val aggregates = new WindowAggregates(functions, input, partials = false, partition)
    new AggregateFolding(aggregates, keys, functions.map(_.resultAttribute))
  }
}

private object RelationRows {
  val AnyKey = new Object
}

/** Spark's aggregate functions; rows cannot be taken out of them. */
private final class AggregateFolding(
    aggregates: WindowAggregates,
    keys: Seq[Attribute],
    results: Seq[Attribute])
    extends Folding[UnsafeRow, AnyRef] {
  private val adding = aggregates.recomputing
  private val project = UnsafeProjection.create(keys ++ results, keys ++ aggregates.resultAttributes)
  private val joined = new JoinedRow

  override def create(): AnyRef = adding.create()
  override def add(buffer: AnyRef, row: UnsafeRow): Unit = adding.add(pairOf(buffer), row)
  override def removes: Boolean = false
  override def remove(buffer: AnyRef, row: UnsafeRow): Unit =
    throw new IllegalStateException("rows of these functions are kept and added up anew")
  override def result(key: UnsafeRow, buffer: AnyRef): UnsafeRow = {
    val (merged, added) = pairOf(buffer)
    project(joined(key, aggregates.results(merged, added))).copy()
  }

  private def pairOf(buffer: AnyRef) =
    buffer.asInstanceOf[(InternalRow, Array[org.sparkcsql.batch.AddingBuffer])]
}
