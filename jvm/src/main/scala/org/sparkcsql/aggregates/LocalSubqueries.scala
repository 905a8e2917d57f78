package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.{BooleanType, DataType}

/** A query inside an expression: two of them are never the same. */
private[aggregates] final class RowQuery(query: LocalRows) {
  def rows(row: InternalRow): Iterator[InternalRow] = query.rows(row)
}

/** A query that asks about the row beside it. Spark hides that row from its own leaves, so it is none of them. */
private[aggregates] sealed abstract class AskingExpression extends Expression with CodegenFallback {
  override def children: Seq[Expression] = Nil
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Expression = this
}

private[aggregates] final case class LocalQueryValue(query: RowQuery, dataType: DataType)
    extends AskingExpression {
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any = {
    val rows = query.rows(input)
    if (!rows.hasNext) null
    else {
      val value = InternalRow.copyValue(rows.next().get(0, dataType))
      if (rows.hasNext)
        throw new IllegalArgumentException("a subquery that stands for one value gave several rows")
      value
    }
  }
}

private[aggregates] final case class LocalQueryExists(query: RowQuery) extends AskingExpression {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = query.rows(input).hasNext
}

/** Whether some row is equal; unknown if none is and a comparison was with NULL. */
private[aggregates] final case class InLocalQuery(
    values: Seq[Expression],
    query: RowQuery,
    types: Seq[DataType],
    override val nullable: Boolean)
    extends Expression
    with CodegenFallback {
  private lazy val orders = types.map(TypeUtils.getInterpretedOrdering)

  override def children: Seq[Expression] = values
  override def dataType: DataType = BooleanType

  override def eval(input: InternalRow): Any = {
    val wanted = values.map(_.eval(input))
    var unknown = false
    val found = query.rows(input).exists { row =>
      val comparisons = wanted.indices.map { i =>
        val value = row.get(i, types(i))
        if (value == null || wanted(i) == null) None else Some(orders(i).equiv(value, wanted(i)))
      }
      if (!comparisons.contains(Some(false)) && comparisons.contains(None)) unknown = true
      comparisons.forall(_.contains(true))
    }
    if (found) true else if (unknown) null else false
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): InLocalQuery =
    copy(values = newChildren)
}
