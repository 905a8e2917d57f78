package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.expressions.{FrameType, RangeFrame, RowFrame}

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{FrameTail, Length, LengthUnit}

/** Reads what may follow a frame inside OVER (…): SLIDE or ACTIVE EXPIRATION, and time units in its bounds. */
private[parse] object FrameTails {

  /** The longest tail, `SLIDE :n MINUTES ACTIVE EXPIRATION`, and some room for what is wrong in it. */
  private val lookAhead = 12

  /** Where the tail that begins at `start` ends (exclusive), or -1 if none begins there. */
  def end(tokens: TokenText, start: Int): Int =
    if (tokens.word(start) == "SLIDE" || tokens.word(start) == "ACTIVE") {
      val limit = math.min(tokens.length - 1, start + lookAhead)
      var k = start
      while (k < limit && tokens.typeAt(k) != TokenTypes.RightParen) k += 1
      k
    } else -1

  def read(cursor: TokenCursor): FrameTail = {
    val tail = one(cursor)
    if (cursor.done) tail
    else if (cursor.word() == "SLIDE" || cursor.word() == "ACTIVE")
      cursor.fail(
        "CSQL_CLAUSE_CONTRADICTORY",
        "part" -> cursor.found,
        "other" -> (if (tail == FrameTail.ActiveExpiration) "ACTIVE EXPIRATION" else "SLIDE"),
        "hint" -> "A frame ends with one of SLIDE and ACTIVE EXPIRATION."
      )
    else cursor.fail("CSQL_CLAUSE_SYNTAX", "found" -> cursor.found, "expected" -> "')'")
  }

  private def one(cursor: TokenCursor): FrameTail =
    if (cursor.take("SLIDE")) FrameTail.Slide(Lengths.measured(cursor, "SLIDE", endsLength))
    else if (cursor.take("ACTIVE", "EXPIRATION")) FrameTail.ActiveExpiration
    else {
      cursor.advance()
      cursor.fail("CSQL_CLAUSE_SYNTAX", "found" -> cursor.found, "expected" -> "EXPIRATION")
    }

  private def endsLength(cursor: TokenCursor): Boolean =
    cursor.typeAt(0) == Token.EOF || cursor.word() == "ACTIVE" || cursor.word() == "SLIDE"

  /** The unit of a bound, `RANGE 1 HOUR PRECEDING`, must be one of time. */
  def checkUnit(cursor: TokenCursor): Unit = Units.find(cursor.word()) match {
    case Some(_: LengthUnit.Time) =>
    case _ =>
      cursor.fail(
        "CSQL_UNIT_UNKNOWN",
        "unit" -> cursor.found,
        "units" -> Units.timeUnits,
        "suggestion" -> Units.suggestion(cursor.word()))
  }

  /** The tail, if it can be counted in what the frame counts. */
  def fitting(mark: Mark.Tail, frame: FrameType, source: SourceText): FrameTail = (mark.tail, frame) match {
    case (FrameTail.ActiveExpiration, RowFrame) =>
      CsqlErrors.syntax(
        "CSQL_CLAUSE_CONTRADICTORY",
        source.origin(mark.first, mark.last),
        "part" -> "ACTIVE EXPIRATION",
        "other" -> "ROWS",
        "hint" -> "Tuples expire from a frame in time only: write RANGE n unit PRECEDING."
      )
    case (FrameTail.Slide(length @ Length(_, LengthUnit.Bare, _)), RowFrame) =>
      FrameTail.Slide(length.copy(unit = LengthUnit.Tuples))
    case (FrameTail.Slide(length @ Length(_, _: LengthUnit.Time, _)), RowFrame) =>
      mismatch(length, "ROWS", "tuples")
    case (FrameTail.Slide(length @ Length(_, LengthUnit.Tuples, _)), RangeFrame) =>
      mismatch(length, "RANGE", "time")
    case (tail, _) => tail
  }

  private def mismatch(length: Length, frame: String, unit: String): Nothing = CsqlErrors.syntax(
    "CSQL_UNIT_MISMATCH",
    length.at,
    "part" -> "SLIDE",
    "unit" -> Units.kind(length.unit),
    "other" -> frame,
    "otherUnit" -> unit)
}
