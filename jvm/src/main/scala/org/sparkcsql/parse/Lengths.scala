package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.trees.Origin

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{Length, LengthUnit}

/** Reads lengths: a positive whole number or a parameter marker, and its unit. */
private[parse] object Lengths {

  /** What follows a number: the unit, and how many words it takes. */
  private type UnitReader = TokenCursor => Option[LengthUnit]

  /** `n unit`, or `n` where `ends` says that the length ends behind the number. */
  def measured(cursor: TokenCursor, part: String, ends: TokenCursor => Boolean, least: Long = 1L): Length =
    read(cursor, part, s"$part 10 Minutes", least) { c =>
      val unit = Units.find(c.word())
      if (unit.isDefined && !(c.word() == "ROWS" && ends(c))) {
        c.advance()
        unit
      } else if (c.done || ends(c)) None
      else unknownUnit(c)
    }

  /** `n`, counted in tuples. */
  def tuples(cursor: TokenCursor, part: String): Length =
    read(cursor, part, s"$part 10", least = 1L)(_ => Some(LengthUnit.Tuples))

  def unknownUnit(cursor: TokenCursor): Nothing = if (cursor.word().isEmpty)
    cursor.fail(
      "CSQL_CLAUSE_SYNTAX",
      "found" -> cursor.found,
      "expected" -> "a unit, a comma or the clause's end")
  else
    cursor.fail(
      "CSQL_UNIT_UNKNOWN",
      "unit" -> cursor.found,
      "units" -> Units.allUnits,
      "suggestion" -> Units.suggestion(cursor.word()))

  private def read(
      cursor: TokenCursor,
      part: String,
      example: String,
      least: Long)(unit: UnitReader): Length = {
    val first = cursor.current
    val value = number(cursor, part, example, least)
    val at = cursor.since(first)
    val counted = unit(cursor).getOrElse(LengthUnit.Bare)
    checkOverflow(value, counted, part, at, cursor.tokens.source.textOf(first, cursor.previous))
    Length(value, counted, cursor.since(first))
  }

  private def number(cursor: TokenCursor, part: String, example: String, least: Long): Long = {
    val token = cursor.current
    if (cursor.done) missing(cursor, part, example)
    else
      cursor.tokens.source.replacement(token) match {
        case Some(bound) => parameterValue(cursor, bound, part, least)
        case None if cursor.isMarker() =>
          cursor.marker(MarkerUse.Length)
          math.max(1L, least)
        case None if token.getType == TokenTypes.Minus && TokenTypes.numbers(cursor.typeAt(1)) =>
          cursor.advance(2)
          refuseSign(cursor, token, part, least)
        case None if token.getType == TokenTypes.Integer =>
          cursor.advance()
          whole(cursor, token, part, least)
        case None if TokenTypes.numbers(token.getType) =>
          cursor.fail("CSQL_LENGTH_FRACTIONAL", "length" -> token.getText, "part" -> part)
        case None => missing(cursor, part, example)
      }
  }

  private def missing(cursor: TokenCursor, part: String, example: String): Nothing =
    cursor.fail("CSQL_LENGTH_MISSING", "part" -> part, "found" -> cursor.found, "example" -> example)

  private def whole(cursor: TokenCursor, token: Token, part: String, least: Long): Long = {
    val value = BigInt(token.getText)
    if (value < least) refuseSign(cursor, token, part, least)
    else if (!value.isValidLong) overflow(token.getText, part, Long.MaxValue.toString, cursor.since(token))
    else value.toLong
  }

  private def refuseSign(cursor: TokenCursor, first: Token, part: String, least: Long): Nothing =
    CsqlErrors.syntax(
      "CSQL_LENGTH_NOT_POSITIVE",
      cursor.since(first),
      "length" -> cursor.tokens.source.textOf(first, cursor.previous),
      "part" -> part,
      "least" -> least.toString)

  /** The binder writes whole numbers as plain digits; everything else it was given is refused here. */
  private def parameterValue(cursor: TokenCursor, bound: Replacement, part: String, least: Long): Long = {
    val source = cursor.tokens.source
    val first = cursor.current
    while (!cursor.done && source.replacement(cursor.current).contains(bound)) cursor.advance()
    val value = source.parsed.substring(bound.start, bound.end).trim
    val number = Option(value).filter(_.matches("[0-9]{1,18}|[0-9]{19}")).map(BigInt(_))
    number.filter(n => n >= least && n.isValidLong).map(_.toLong).getOrElse {
      CsqlErrors.syntax(
        "CSQL_LENGTH_PARAMETER",
        cursor.since(first),
        "parameter" -> source.written.substring(bound.writtenStart, bound.writtenEnd),
        "part" -> part,
        "value" -> value)
    }
  }

  private def checkOverflow(value: Long, unit: LengthUnit, part: String, at: Origin, text: String): Unit =
    unit match {
      case time: LengthUnit.Time if value > Long.MaxValue / time.micros =>
        overflow(text, part, s"${Long.MaxValue / time.micros} ${time.name}s", at)
      case _ =>
    }

  private def overflow(length: String, part: String, most: String, at: Origin): Nothing =
    CsqlErrors.syntax("CSQL_LENGTH_OVERFLOW", at, "length" -> length, "part" -> part, "most" -> most)
}
