package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._

/** Whether a number is a multiple of `count`. */
final case class EveryNth(child: Expression, count: Long) extends UnaryExpression with Predicate {
  override def nullIntolerant: Boolean = true
  override protected def nullSafeEval(number: Any): Any = number.asInstanceOf[Long] % count == 0
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(context, code, number => s"$number % ${count}L == 0")
  override protected def withNewChildInternal(newChild: Expression): EveryNth = copy(child = newChild)
}
