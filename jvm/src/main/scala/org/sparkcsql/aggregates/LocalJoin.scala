package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical.Join

/** A join of two queries over local tables, row by row. */
private[aggregates] final class LocalJoin(join: Join, queries: LocalQueries, around: Seq[Attribute])
    extends LocalRows {
  private val (left, right) = (queries(join.left, around), queries(join.right, around))
  private val copyLeft = queries.projection(join.left.output, join.left.output)
  private val copyRight = queries.projection(join.right.output, join.right.output)
  private val condition =
    join.condition.map(queries.predicate(_, around ++ join.left.output ++ join.right.output))
  private val noLeft = new GenericInternalRow(join.left.output.length)
  private val noRight = new GenericInternalRow(join.right.output.length)
  private val (pair, inside) = (new JoinedRow, new JoinedRow)

  override def rows(outside: InternalRow): Iterator[InternalRow] = {
    val others = right.rows(outside).map(row => copyRight(row).copy()).toArray
    def matches(row: InternalRow, other: InternalRow): Boolean =
      condition.forall(_.eval(inside(outside, pair(row, other))))
    val own = left.rows(outside).map(row => copyLeft(row).copy())
    join.joinType match {
      case LeftSemi => own.filter(row => others.exists(matches(row, _)))
      case LeftAnti => own.filterNot(row => others.exists(matches(row, _)))
      case kind =>
        val met = new Array[Boolean](others.length)
        val pairs = own.flatMap { row =>
          val found = others.indices.filter(i => matches(row, others(i)))
          found.foreach(met(_) = true)
          if (found.nonEmpty) found.iterator.map(i => new JoinedRow(row, others(i)))
          else if (kind == LeftOuter || kind == FullOuter) Iterator.single(new JoinedRow(row, noRight))
          else Iterator.empty
        }
        if (kind == RightOuter || kind == FullOuter)
          pairs ++ others.indices.iterator.filterNot(met(_)).map(i => new JoinedRow(noLeft, others(i)))
        else pairs
    }
  }
}
