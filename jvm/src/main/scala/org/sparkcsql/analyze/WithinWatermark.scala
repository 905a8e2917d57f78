package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, LongType}
import org.sparkcsql.errors.CsqlErrors

/** A time as a number that is made to a timestamp, for Spark's watermark; one that does not fit fails the query. */
final case class WithinWatermark(child: Expression, most: Long) extends UnaryExpression {
  override def dataType: DataType = LongType
  override def nullIntolerant: Boolean = true
  override protected def nullSafeEval(time: Any): Any = WithinWatermark.check(time.asInstanceOf[Long], most)
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(
      context,
      code,
      time => s"${WithinWatermark.getClass.getName.stripSuffix("$")}.check($time, ${most}L)")
  override protected def withNewChildInternal(newChild: Expression): WithinWatermark = copy(child = newChild)
}

object WithinWatermark {
  def check(time: Long, most: Long): Long =
    if (time <= most) time
    else throw CsqlErrors.runtime("CSQL_STREAM_TIME_LARGE", "time" -> time.toString, "most" -> most.toString)
}
