package org.sparkcsql.aggregates

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.{ExpressionEncoder, RowEncoder}
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.types._

/** What classes of the JVM return, as values of the type that was declared; fails for what is none. */
private[aggregates] final class JvmValues(returns: DataType) {
  private val toInternal =
    ExpressionEncoder(RowEncoder.encoderFor(new StructType().add("returned", returns), lenient = true))
      .createSerializer()

  def apply(value: Any): Any =
    InternalRow.copyValue(toInternal(Row(widened(value, returns))).get(0, returns))

  /** Numbers become the number that is wanted, where none of their digits is lost; collections of Java's those of Scala. */
  private def widened(value: Any, wanted: DataType): Any = (value, wanted) match {
    case (_: Int, IntegerType) | (_: Long, LongType) => value
    case (big: java.math.BigInteger, _: DecimalType) => new java.math.BigDecimal(big)
    case (map: java.util.Map[_, _], of: MapType) =>
      map.asScala.map { case (key, item) => widened(key, of.keyType) -> widened(item, of.valueType) }.toMap
    case (items: java.lang.Iterable[_], of: ArrayType) => items.asScala.map(widened(_, of.elementType)).toSeq
    case (whole @ (_: Byte | _: Short | _: Int | _: Long), _: NumericType) => cast(whole, wanted)
    case (single: Float, DoubleType) => single.toDouble
    case (row: Row, struct: StructType) if row.length == struct.length =>
      Row.fromSeq(row.toSeq.zip(struct).map { case (field, of) => widened(field, of.dataType) })
    case _ => value
  }

  private def cast(value: Any, wanted: DataType): Any =
    Cast(Literal(value), wanted, evalMode = EvalMode.ANSI).eval()
}
