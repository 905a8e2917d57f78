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
    Ticks.atOrAfter(grid, shift, instant.asInstanceOf[Long])
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val reference = context.addReferenceObj("grid", grid)
    defineCodeGen(context, code, instant => s"${Ticks.javaName}.atOrAfter($reference, ${shift}L, $instant)")
  }
  override protected def withNewChildInternal(newChild: Expression): TickAtOrAfter = copy(child = newChild)
}

/** The last tick whose window, `length` long and `shift` behind the tick, still holds an instant. */
final case class LastTickSeeing(child: Expression, grid: Grid, shift: Long, length: Long)
    extends UnaryExpression {
  override def dataType: DataType = LongType
  override protected def nullSafeEval(instant: Any): Any =
    Ticks.lastSeeing(grid, shift, length, instant.asInstanceOf[Long])
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val reference = context.addReferenceObj("grid", grid)
    defineCodeGen(
      context,
      code,
      instant => s"${Ticks.javaName}.lastSeeing($reference, ${shift}L, ${length}L, $instant)")
  }
  override protected def withNewChildInternal(newChild: Expression): LastTickSeeing = copy(child = newChild)
}

/** Called by generated code. */
object Ticks {
  val javaName: String = getClass.getName.stripSuffix("$")

  def atOrAfter(grid: Grid, shift: Long, instant: Long): Long =
    within(instant)(grid.tickAtOrAfter(Math.addExact(instant, shift)))

  def lastSeeing(grid: Grid, shift: Long, length: Long, instant: Long): Long = within(instant) {
    grid.lastTickSeeing(Math.addExact(instant, shift), length)
  }

  private def within(instant: Long)(tick: => Long): Long =
    try tick
    catch {
      case _: ArithmeticException =>
        throw CsqlErrors.runtime("CSQL_TIME_OVERFLOW", "instant" -> instant.toString)
    }
}
