package org.apache.spark.sql.csql

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.types.{DataType, MapType}

/** Spark shows how it compares keys to its own packages alone. */
object KeyTypes {

  /** 0.0 and -0.0 become the same, and all NaNs, inside of nested values too; others stay as they are. */
  def normalized(expression: Expression): Expression = NormalizeFloatingNumbers.normalize(expression)

  def holdMaps(dataType: DataType): Boolean = dataType.existsRecursively(_.isInstanceOf[MapType])
}
