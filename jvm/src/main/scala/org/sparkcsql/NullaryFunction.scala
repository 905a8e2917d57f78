package org.sparkcsql

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}

/** A SQL function without arguments, as Spark's extensions want it described. */
private[sparkcsql] object NullaryFunction {
  type Description = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)

  def apply(name: String, implementation: Class[_])(make: => Expression): Description =
    (FunctionIdentifier(name), new ExpressionInfo(implementation.getName, name), build(name, make))

  private def build(name: String, make: => Expression)(arguments: Seq[Expression]): Expression =
    if (arguments.isEmpty) make
    else
      throw new AnalysisException(
        errorClass = "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        messageParameters = Map(
          "functionName" -> s"`$name`",
          "expectedNum" -> "0",
          "actualNum" -> arguments.length.toString,
          "docroot" -> "https://spark.apache.org/docs/latest"
        )
      )
}
