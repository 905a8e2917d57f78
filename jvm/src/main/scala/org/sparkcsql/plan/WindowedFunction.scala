package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.{ExprId, Expression, Unevaluable, WindowFunction}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

/**
 * An aggregate function over a window. Spark allows its own AggregateExpression only in the
 * operators it knows, so it travels through analysis and optimisation in this form.
 */
final case class WindowedFunction(
    function: AggregateFunction,
    filter: Option[Expression],
    distinct: Boolean,
    resultId: ExprId)
    extends Expression
    with Unevaluable {
  /** Spark allows ranks only in its own window operator, so of them just the arguments are shown to its rules. */
  private def shown: Seq[Expression] =
    if (function.isInstanceOf[WindowFunction]) function.children else Seq(function)

  override def children: Seq[Expression] = shown ++ filter
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable
  override def toString: String = toSpark.toString
  override def sql: String = toSpark.sql

  override lazy val canonicalized: Expression =
    withNewChildren(children.map(_.canonicalized)) match {
      case same: WindowedFunction => same.copy(resultId = ExprId(0))
      case other => other
    }

  def toSpark: AggregateExpression = AggregateExpression(function, Complete, distinct, filter, resultId)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): WindowedFunction = {
    val (own, rest) = newChildren.splitAt(shown.size)
    val changed =
      if (function.isInstanceOf[WindowFunction]) function.withNewChildren(own) else own.head
    copy(function = changed.asInstanceOf[AggregateFunction], filter = rest.headOption)
  }
}

object WindowedFunction {
  def apply(aggregate: AggregateExpression): WindowedFunction =
    WindowedFunction(aggregate.aggregateFunction, aggregate.filter, aggregate.isDistinct, aggregate.resultId)
}
