package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.expressions.{
  RangeFrame,
  RowFrame,
  SpecifiedWindowFrame,
  UnboundedPreceding
}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{FrameBoundContext, WindowFrameContext}

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
    val name = if (tail == FrameTail.ActiveExpiration) "ACTIVE EXPIRATION" else "SLIDE"
    if (cursor.done) tail
    else if (cursor.word() == name.takeWhile(_ != ' '))
      cursor.fail("CSQL_CLAUSE_DOUBLED", "part" -> name)
    else if (cursor.word() == "SLIDE" || cursor.word() == "ACTIVE")
      cursor.fail(
        "CSQL_CLAUSE_CONTRADICTORY",
        "part" -> cursor.found,
        "other" -> name,
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

  /** Its length must be one that Spark's INTERVAL can hold; an error of ours tells the place of it. */
  def checkLength(cursor: TokenCursor): Unit =
    Lengths.measured(cursor, "RANGE", _ => true, least = 0L): Unit

  /** How far an OVER is looked for in front of a tail. */
  private val lookBack = 256

  /** Whether a tail begins here, inside OVER (…), that has no frame in front of it. */
  def lacksFrame(tokens: TokenText, k: Int): Boolean = {
    val looksLike = tokens.word(k) match {
      case "SLIDE" => tokens.typeAt(k + 1) == TokenTypes.Integer
      case "ACTIVE" => tokens.word(k + 1) == "EXPIRATION" && tokens.typeAt(k + 2) == TokenTypes.RightParen
      case _ => false
    }
    looksLike && tokens.word(opening(tokens, k) - 1) == "OVER"
  }

  /** The parenthesis that is open here. */
  private def opening(tokens: TokenText, k: Int): Int = {
    var (depth, at) = (0, k - 1)
    val limit = math.max(-1, k - lookBack)
    while (at > limit && (depth > 0 || tokens.typeAt(at) != TokenTypes.LeftParen)) {
      if (tokens.typeAt(at) == TokenTypes.RightParen) depth += 1
      else if (tokens.typeAt(at) == TokenTypes.LeftParen) depth -= 1
      at -= 1
    }
    at
  }

  def refuseWithoutFrame(cursor: TokenCursor): Nothing = cursor.fail(
    "CSQL_CLAUSE_INCOMPLETE",
    "part" -> (if (cursor.word() == "ACTIVE") "ACTIVE EXPIRATION" else cursor.word()),
    "missing" -> "a frame in front of it",
    "hint" -> "Write ROWS n PRECEDING or RANGE n unit PRECEDING first."
  )

  /** Whether a bound is written as `n unit`, for which Spark was given the word INTERVAL. */
  def hasBareUnit(frame: WindowFrameContext): Boolean = {
    def bare(bound: FrameBoundContext): Boolean = Option(bound).flatMap(b => Option(b.expression)).exists {
      value =>
        val first = value.getStart
        first.getType == TokenTypes.Interval && first.getStopIndex < first.getStartIndex
    }
    bare(frame.start) || bare(frame.end)
  }

  /** The tail, if it can be counted in what the frame counts. */
  def fitting(mark: Mark.Tail, frame: SpecifiedWindowFrame, source: SourceText): FrameTail =
    (mark.tail, frame.frameType) match {
      case (FrameTail.ActiveExpiration, RowFrame) => endless(mark, "ROWS", source)
      case (FrameTail.ActiveExpiration, RangeFrame) if frame.lower == UnboundedPreceding =>
        endless(mark, "UNBOUNDED PRECEDING", source)
      case (FrameTail.Slide(length @ Length(_, LengthUnit.Bare, _)), RowFrame) =>
        FrameTail.Slide(length.copy(unit = LengthUnit.Tuples))
      case (FrameTail.Slide(length @ Length(_, _: LengthUnit.Time, _)), RowFrame) =>
        mismatch(length, "ROWS", "tuples")
      case (FrameTail.Slide(length @ Length(_, LengthUnit.Tuples, _)), RangeFrame) =>
        mismatch(length, "RANGE", "time")
      case (tail, _) => tail
    }

  private def endless(mark: Mark.Tail, frame: String, source: SourceText): Nothing = CsqlErrors.syntax(
    "CSQL_CLAUSE_CONTRADICTORY",
    source.origin(mark.first, mark.last),
    "part" -> "ACTIVE EXPIRATION",
    "other" -> frame,
    "hint" -> "Tuples expire from a frame in time only: write RANGE n unit PRECEDING."
  )

  private def mismatch(length: Length, frame: String, unit: String): Nothing = CsqlErrors.syntax(
    "CSQL_UNIT_MISMATCH",
    length.at,
    "part" -> "SLIDE",
    "unit" -> Units.kind(length.unit),
    "other" -> frame,
    "otherUnit" -> unit)
}
