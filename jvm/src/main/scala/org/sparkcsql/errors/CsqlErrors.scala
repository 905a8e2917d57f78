package org.sparkcsql.errors

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** The one place where our exceptions are made; conditions and their texts are in [[ErrorConditions]]. */
object CsqlErrors {

  /** The text is not well formed at this place. */
  def syntax(condition: String, at: Origin, parameters: (String, String)*): Nothing =
    throw new CsqlParseException(condition, parameters.toMap, at)

  /** The text is well formed, but what stands at this place cannot be analysed or executed. */
  def analysis(condition: String, at: Origin, parameters: (String, String)*): Nothing =
    throw new CsqlAnalysisException(condition, parameters.toMap, at)

  /** To be thrown by an operator that meets a row it cannot process. */
  def runtime(condition: String, parameters: (String, String)*): Throwable =
    new CsqlRuntimeException(condition, parameters.toMap)

  /** Spark's own refusal of a parameter marker without a value, for a marker inside our syntax. */
  def unboundParameter(name: String, at: Origin): Nothing =
    throw new AnalysisException("UNBOUND_SQL_PARAMETER", Map("name" -> name), at)
}
