package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructType}

/** How values are put into columns, arguments and results: by the rules of INSERT. */
private[aggregates] object AggregateTypes {
  def fits(from: DataType, to: DataType): Boolean =
    DataType.equalsIgnoreNullability(from, to) || Cast.canANSIStoreAssign(from, to)

  def list(types: Seq[DataType]): String = types.map(_.sql).mkString("(", ", ", ")")

  def assigned(value: Expression, to: DataType): Expression =
    if (DataType.equalsIgnoreNullability(value.dataType, to)) value
    else Cast(value, to, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.ANSI)

  /** The types that a returned value gives to the arguments, if it can be an argument again. */
  def paneValues(returns: DataType, arguments: StructType): Option[Seq[DataType]] = {
    val values = returns match {
      case struct: StructType if arguments.length != 1 => struct.map(_.dataType)
      case single => Seq(single)
    }
    val accepted = values.length == arguments.length &&
      values.zip(arguments).forall { case (value, argument) => fits(value, argument.dataType) }
    if (accepted) Some(values) else None
  }
}
