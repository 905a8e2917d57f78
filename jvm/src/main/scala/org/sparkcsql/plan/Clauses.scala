package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

/** The unit a length is written in. */
sealed trait LengthUnit
object LengthUnit {
  case object Tuples extends LengthUnit

  /** A unit of wall-clock time, as microseconds. */
  final case class Time(name: String, micros: Long) extends LengthUnit

  /** From the shortest to the longest. */
  val times: Seq[Time] = {
    val second = 1000000L
    Seq(
      Time("Microsecond", 1),
      Time("Millisecond", 1000),
      Time("Second", second),
      Time("Minute", 60 * second),
      Time("Hour", 3600 * second),
      Time("Day", 86400 * second))
  }

  /** No unit: lengths of streams ordered by an integer. */
  case object Bare extends LengthUnit
}

/** A positive length, e.g. `10 Minutes`. */
final case class Length(value: Long, unit: LengthUnit, at: Origin) {

  /** In the longest unit of time that gives a whole number: equal lengths are then written alike. */
  def inLongestUnit: Length = unit match {
    case LengthUnit.Time(_, micros) if value != 0 =>
      val all = BigInt(value) * micros
      val longest = LengthUnit.times.reverse.find(all % _.micros == 0).get
      copy((all / longest.micros).toLong, longest)
    case _ => this
  }
}

/** A column as the user wrote it, resolved only in analysis. */
final case class ColumnName(parts: Seq[String], at: Origin) {
  def text: String = parts.mkString(".")
}

/** A constant instant, e.g. `TIMESTAMP '2026-01-01'`, still an expression of Spark's. */
final case class Instant(value: Expression, at: Origin)

/** Which tuples a window holds. */
sealed trait WindowShape {
  def at: Origin
}

object WindowShape {
  final case class Range(length: Length, lag: Option[Length], partitionBy: Seq[ColumnName], at: Origin)
      extends WindowShape
  final case class Now(at: Origin) extends WindowShape
  final case class Unbounded(at: Origin) extends WindowShape

  /** Landmark (one bound) and Band (both bounds); bounds are inclusive. */
  final case class Between(from: Option[Instant], until: Option[Instant], at: Origin) extends WindowShape
}

/** `Frequency n unit [Partitioned By …] [Origin …]`. */
final case class Frequency(length: Length, partitionBy: Seq[ColumnName], origin: Option[Instant], at: Origin)

/** One bracket clause in FROM; without a shape it is a lone frequency. */
final case class WindowClause(
    shape: Option[WindowShape],
    frequency: Option[Frequency],
    on: Option[ColumnName],
    at: Origin)
