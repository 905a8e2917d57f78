package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{Instant, Length, LengthUnit}

/** The types that can be a stream's time, and times and lengths as whole numbers of a type's own unit. */
object TimeAxis {
  private val microsPerDay = 86400000000L

  def supports(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType => true
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  /** Rule 4 of "which column is the time": only these are taken without being named. */
  def isObvious(dataType: DataType): Boolean = dataType == TimestampType || dataType == TimestampNTZType

  /** A time as a number: microseconds, days, or the integer itself. */
  def toNumber(time: Expression): Expression = time.dataType match {
    case t @ (TimestampType | TimestampNTZType) => PreciseTimestampConversion(time, t, LongType)
    case DateType => Cast(UnixDate(time), LongType)
    case LongType => time
    case _ => Cast(time, LongType)
  }

  def fromNumber(number: Expression, dataType: DataType): Expression = dataType match {
    case t @ (TimestampType | TimestampNTZType) => PreciseTimestampConversion(number, LongType, t)
    case DateType => DateFromUnixDate(Cast(number, IntegerType, None, EvalMode.ANSI))
    case LongType => number
    case narrower => Cast(number, narrower, None, EvalMode.ANSI)
  }

  def isTime(length: Length): Boolean = length.unit != LengthUnit.Tuples

  /** A length in units of the time's type. */
  def length(length: Length, part: String, dataType: DataType): Long = (length.unit, dataType) match {
    case (LengthUnit.Time(_, micros), TimestampType | TimestampNTZType) =>
      Math.multiplyExact(length.value, micros)
    case (LengthUnit.Time(_, micros), DateType) =>
      val total = Math.multiplyExact(length.value, micros)
      if (total % microsPerDay != 0) {
        CsqlErrors.analysis(
          "CSQL_UNIT_UNFIT",
          length.at,
          "part" -> part,
          "type" -> dataType.sql,
          "hint" -> "Write whole Days.")
      }
      total / microsPerDay
    case (LengthUnit.Bare, ByteType | ShortType | IntegerType | LongType) => length.value
    case (LengthUnit.Bare, _) =>
      CsqlErrors.analysis(
        "CSQL_UNIT_MISSING",
        length.at,
        "part" -> part,
        "length" -> length.value.toString,
        "units" -> "Tuples, Microseconds, Milliseconds, Seconds, Minutes, Hours, Days"
      )
    case _ =>
      CsqlErrors.analysis(
        "CSQL_UNIT_UNFIT",
        length.at,
        "part" -> part,
        "type" -> dataType.sql,
        "hint" -> "Write a bare number, as in [Range 100].")
  }

  /** A constant instant as a number on the axis of the time's type. */
  def instant(instant: Instant, part: String, dataType: DataType): Long = {
    def invalid(found: String): Nothing =
      CsqlErrors.analysis("CSQL_INSTANT_INVALID", instant.at, "part" -> part, "found" -> found)
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    val cast = Cast(instant.value, dataType, zone, EvalMode.TRY)
    val isConstant = instant.value.resolved && instant.value.foldable && cast.resolved
    if (!isConstant || !fits(instant.value, dataType) || (dataType == DateType && !isDay(instant.value))) {
      invalid(instant.value.sql)
    }
    val number = toNumber(cast).transform { case c: Cast if c.timeZoneId.isEmpty => c.withTimeZone(zone.get) }
    number.eval() match {
      case value: Long => value
      case _ => invalid(instant.value.sql)
    }
  }

  /** Between two days there is no instant of a date. */
  private def isDay(value: Expression): Boolean =
    Cast(value, TimestampNTZType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY).eval() match {
      case micros: Long => Math.floorMod(micros, microsPerDay) == 0
      case _ => true
    }

  /** A number is no instant of a calendar, nor a date one of a counter. */
  private def fits(value: Expression, dataType: DataType): Boolean = (value.dataType, dataType) match {
    case (_: StringType, _) => true
    case (found, wanted) if supports(found) => isInteger(found) == isInteger(wanted)
    case _ => false
  }

  def isInteger(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  def typeRefused(column: String, dataType: DataType, at: Origin): Nothing = CsqlErrors.analysis(
    "CSQL_TIME_COLUMN_TYPE",
    at,
    "column" -> column,
    "type" -> dataType.sql,
    "hint" -> "Name a column of type TIMESTAMP, TIMESTAMP_NTZ, DATE or an integer type.")
}
