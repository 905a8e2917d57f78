package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Unevaluable}
import org.apache.spark.sql.types.{DataType, NullType}
import org.sparkcsql.NullaryFunction

/**
 * `evaluation_time()`: the instant of the block's evaluation. Its type is that of the stream's
 * time, so it stays unresolved until the stream is known.
 */
final case class EvaluationTime(timeType: Option[DataType]) extends LeafExpression with Unevaluable {
  override lazy val resolved: Boolean = timeType.isDefined
  override def dataType: DataType = timeType.getOrElse(NullType)
  override def nullable: Boolean = false
  override def prettyName: String = EvaluationTime.name
  override def sql: String = s"$prettyName()"
  override def toString: String = sql
}

object EvaluationTime {
  private val name = "evaluation_time"

  val function: NullaryFunction.Description =
    NullaryFunction(name, classOf[EvaluationTime])(EvaluationTime(None))
}
