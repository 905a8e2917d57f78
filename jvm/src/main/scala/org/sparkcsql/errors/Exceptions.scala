package org.sparkcsql.errors

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.{QueryContext, SparkThrowable}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * A fault in the text of a statement.
 *
 * It is a ParseException because clients (PySpark, Connect, Thrift) recognise that class. The only constructors
 * that class lets us call look the text up in Spark's catalogue, so it is built as a plain syntax error and then
 * answers every question itself.
 */
final class CsqlParseException(condition: String, parameters: Map[String, String], at: Origin)
    extends ParseException(
      at.sqlText.orElse(Some("")),
      at,
      "PARSE_SYNTAX_ERROR",
      Map("error" -> condition, "hint" -> ""),
      at.getQueryContext) {
  override val message: String = ErrorConditions.render(condition, parameters)
  override val errorClass: Option[String] = Some(condition)
  override val messageParameters: Map[String, String] = parameters
  override val sqlState: Option[String] = Some(ErrorConditions.sqlState(condition))
  override val messageTemplate: Option[String] = Some(ErrorConditions.template(condition))
  override def getCondition: String = condition
  override def getMessageParameters: JMap[String, String] = parameters.asJava
  override def getMessage: String = "\n" + Exceptions.describe(message, at)
  override def withCommand(command: String): ParseException = this
}

/** A statement that is written correctly but has no meaning, or none that can be executed. */
final class CsqlAnalysisException(condition: String, parameters: Map[String, String], at: Origin)
    extends AnalysisException(
      ErrorConditions.render(condition, parameters),
      at.line,
      at.startPosition,
      None,
      Some(condition),
      parameters,
      at.getQueryContext,
      Some(ErrorConditions.sqlState(condition)),
      Some(ErrorConditions.template(condition))
    ) {
  override def getMessage: String = Exceptions.describe(message, at)
}

/** A fault that shows only while rows flow. */
final class CsqlRuntimeException(condition: String, parameters: Map[String, String])
    extends RuntimeException(ErrorConditions.render(condition, parameters))
    with SparkThrowable {
  override def getCondition: String = condition
  override def getSqlState: String = ErrorConditions.sqlState(condition)
  override def getMessageParameters: JMap[String, String] = parameters.asJava
  override def getDefaultMessageTemplate: String = ErrorConditions.template(condition)
}

private object Exceptions {

  /** The message, its place, and the user's text with a caret under the place. */
  def describe(message: String, at: Origin): String = {
    val place = for (line <- at.line; column <- at.startPosition) yield s" (line $line, pos $column)"
    val excerpt = at.getQueryContext.map((context: QueryContext) => "\n" + context.summary()).mkString
    message + place.getOrElse("") + excerpt
  }
}
