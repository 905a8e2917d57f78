package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.types.DataType

/** A local table inside a statement of a body. */
final case class LocalTableRelation(table: Int, output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {
  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))
  override def computeStats(): Statistics = Statistics(sizeInBytes = 1)
}

/** An argument, or a column of the oldest tuple, while a statement is resolved: then it is a column beside the row. */
final case class BodyValue(column: Attribute) extends LeafExpression with CodegenFallback {
  override def dataType: DataType = column.dataType
  override def nullable: Boolean = true
  override def sql: String = column.name
  override def toString: String = column.name
  override def eval(input: InternalRow): Any =
    throw new IllegalStateException("a statement of an aggregate is not resolved")
}

/** How a query stands in an expression. */
sealed trait BodySubqueryKind extends Product with Serializable
object BodySubqueryKind {
  case object Value extends BodySubqueryKind
  case object Exists extends BodySubqueryKind
  case object In extends BodySubqueryKind
}

/**
 * A resolved query inside an expression of a body. Spark's own expressions for it cannot be sent to tasks.
 *
 * @param values what is looked for in the rows of the query
 */
final case class BodySubquery(
    kind: BodySubqueryKind,
    plan: LogicalPlan,
    values: Seq[Expression],
    dataType: DataType,
    nullable: Boolean)
    extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = values
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): BodySubquery =
    copy(values = newChildren)
}
