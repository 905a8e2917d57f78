package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AliasHelper, Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.types.DataType
import org.sparkcsql.errors.CsqlErrors

/** A tuple's time; a NULL fails the query, because the tuple would have no place in the order. */
final case class RequireTime(child: Expression, column: String) extends UnaryExpression {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = false
  override def foldable: Boolean = false

  /** A filter must not move below the check: a tuple without a time is a fault also when WHERE would drop it. */
  override lazy val deterministic: Boolean = false
  override def eval(input: InternalRow): Any = {
    val value = child.eval(input)
    if (value == null) throw RequireTime.missing(column)
    value
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val time = child.genCode(context)
    val name = context.addReferenceObj("column", column)
    val failure = RequireTime.getClass.getName.stripSuffix("$")
    ExprCode(
      code"""
        ${time.code}
        if (${time.isNull}) {
          throw $failure.missing($name);
        }""",
      org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral,
      time.value
    )
  }

  override protected def withNewChildInternal(newChild: Expression): RequireTime = copy(child = newChild)
}

object RequireTime extends AliasHelper {

  /** A stream that is filtered before it gets a window: what is left out there need not have a time. */
  def unless(condition: Expression, stream: LogicalPlan): LogicalPlan =
    below(condition, stream).getOrElse(Filter(condition, stream))

  /** The filter below the check, if there is one. */
  private def below(condition: Expression, stream: LogicalPlan): Option[LogicalPlan] = stream match {
    case Project(list, child) if list.exists(_.exists(_.isInstanceOf[RequireTime])) =>
      Some(Project(list, Filter(condition, child)))
    case project @ Project(list, child) if list.forall(_.deterministic) =>
      below(replaceAlias(condition, getAliasMap(project)), child).map(Project(list, _))
    case _ => None
  }

  def missing(column: String): RuntimeException =
    CsqlErrors.runtime("CSQL_NULL_TIME", "column" -> column).asInstanceOf[RuntimeException]
}
