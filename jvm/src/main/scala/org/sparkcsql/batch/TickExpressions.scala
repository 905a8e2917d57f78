package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, LongType}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.Grid

/** The first tick of a grid at or after a number that is shifted first. */
final case class TickAtOrAfter(child: Expression, grid: Grid, shift: Long = 0)
    extends UnaryExpression {
  override def dataType: DataType = LongType
  override protected def nullSafeEval(instant: Any): Any =
    Ticks.atOrAfter(grid.origin, grid.step, shift, instant.asInstanceOf[Long])
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(
      context,
      code,
      instant => s"${Ticks.javaName}.atOrAfter(${grid.origin}L, ${grid.step}L, ${shift}L, $instant)")
  override protected def withNewChildInternal(newChild: Expression): TickAtOrAfter = copy(child = newChild)
}

/** The last tick whose window, `length` long and `shift` behind the tick, still holds an instant. */
final case class LastTickSeeing(child: Expression, grid: Grid, shift: Long, length: Long)
    extends UnaryExpression {
  override def dataType: DataType = LongType
  override protected def nullSafeEval(instant: Any): Any =
    Ticks.lastSeeing(grid.origin, grid.step, shift, length, instant.asInstanceOf[Long])
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val numbers = s"${grid.origin}L, ${grid.step}L, ${shift}L, ${length}L"
    defineCodeGen(context, code, instant => s"${Ticks.javaName}.lastSeeing($numbers, $instant)")
  }
  override protected def withNewChildInternal(newChild: Expression): LastTickSeeing = copy(child = newChild)
}

/** Called by generated code, with constants: a division by a constant is a multiplication. */
object Ticks {
  val javaName: String = getClass.getName.stripSuffix("$")

  def atOrAfter(origin: Long, step: Long, shift: Long, instant: Long): Long =
    try Grid.tickAtOrAfter(origin, step, Math.addExact(instant, shift))
    catch { case _: ArithmeticException => throw beyond(instant) }

  def lastSeeing(origin: Long, step: Long, shift: Long, length: Long, instant: Long): Long =
    try Grid.lastTickSeeing(origin, step, Math.addExact(instant, shift), length)
    catch { case _: ArithmeticException => throw beyond(instant) }

  private def beyond(instant: Long): Throwable =
    CsqlErrors.runtime("CSQL_TIME_OVERFLOW", "instant" -> instant.toString)
}
