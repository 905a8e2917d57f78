package org.sparkcsql.errors

import org.apache.spark.{CsqlErrorCatalogue, ErrorClassesJsonReader}

/**
 * The catalogue of our error conditions, one JSON resource in Spark's own format.
 *
 * Spark's exceptions look their texts up in Spark's catalogue only, so ours are rendered here.
 */
object ErrorConditions {
  private val resource = "error/csql-error-conditions.json"

  private lazy val reader = {
    val conditions = getClass.getClassLoader.getResource(resource)
    CsqlErrorCatalogue.add(conditions)
    new ErrorClassesJsonReader(Seq(conditions))
  }

  def template(condition: String): String = reader.getMessageTemplate(condition)

  def sqlState(condition: String): String = reader.getSqlState(condition)

  def parameters(condition: String): Seq[String] = reader.getMessageParameters(condition)

  /** `[CSQL_…] What is wrong, and what to do. SQLSTATE: 42601`. */
  def render(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.getErrorMessage(condition, parameters)} SQLSTATE: ${sqlState(condition)}"
}
