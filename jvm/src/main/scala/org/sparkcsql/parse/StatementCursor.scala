package org.sparkcsql.parse

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.{CommonToken, Token}

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{ColumnName, Length, LengthUnit}

/** A cursor over one statement of ours, with what all of them need; embedded SQL is handed to Spark. */
private[parse] final class StatementCursor(val cursor: TokenCursor, kind: StatementKind) {
  private val tokens = cursor.tokens
  private val end = cursor.limit

  /** Queries inside the statement, to be parsed as texts of their own. */
  val queries: ArrayBuffer[EditedText] = ArrayBuffer.empty

  def expected(what: String): Nothing = cursor.fail(
    "CSQL_STATEMENT_SYNTAX",
    "statement" -> kind.name,
    "found" -> cursor.found,
    "expected" -> what,
    "syntax" -> kind.syntax)

  def need(word: String): Unit = if (!cursor.take(word)) expected(word)
  def needEnd(): Unit = if (!cursor.done) expected("the end of the statement")

  def name(what: String): ColumnName = cursor.qualifiedName().getOrElse(expected(what))

  /** A string, or a marker for one. */
  def string(what: String): String = if (cursor.isString) cursor.string()
  else if (cursor.isMarker()) {
    cursor.marker(MarkerUse.Value)
    ""
  } else expected(what)

  def names(what: String): Seq[ColumnName] = {
    val found = ArrayBuffer(name(what))
    while (cursor.takeType(TokenTypes.Comma)) found += name(what)
    found.toSeq
  }

  /** A length of time, whose unit may only be missing for streams ordered by a number. */
  def timeLength(part: String, least: Long, needsUnit: Boolean)(ends: TokenCursor => Boolean): Length = {
    val length = Lengths.measured(cursor, part, ends, least)
    length.unit match {
      case LengthUnit.Tuples =>
        CsqlErrors.syntax(
          "CSQL_UNIT_UNKNOWN",
          length.at,
          "unit" -> s"${length.value} Tuples",
          "units" -> Units.timeUnits,
          "suggestion" -> s" $part is a length of time.")
      case LengthUnit.Bare if needsUnit =>
        CsqlErrors.syntax(
          "CSQL_UNIT_MISSING",
          length.at,
          "length" -> length.value.toString,
          "part" -> part,
          "units" -> Units.timeUnits)
      case _ => length
    }
  }

  /** Refuses a clause that was read already. */
  def once(seen: Boolean, clause: String, first: Token): Unit =
    if (seen) CsqlErrors.syntax("CSQL_CLAUSE_DOUBLED", cursor.since(first), "part" -> clause)

  /** The token behind the parenthesis that closes the one at the cursor. */
  def closing(): Int = {
    var depth = 0
    var k = cursor.index
    do {
      if (k >= end) {
        cursor.advance(end - cursor.index)
        expected("')'")
      }
      if (tokens.typeAt(k) == TokenTypes.LeftParen) depth += 1
      else if (tokens.typeAt(k) == TokenTypes.RightParen) depth -= 1
      k += 1
    } while (depth > 0)
    k
  }

  /** Moves to a token and lets Spark parse what lies before it. */
  def embedded[T](until: Int)(parse: (EditedSqlParser, String) => T): T = {
    if (until <= cursor.index) expected("something")
    val parser = EditedSqlParser.ofSlice(slice(until), tokens.source)
    cursor.advance(until - cursor.index)
    parse(parser, tokens.source.parsed)
  }

  /** `(key = value, …)`; while values are still markers, nothing. */
  def options(): Map[String, String] = {
    if (cursor.typeAt(0) != TokenTypes.LeftParen) expected("'('")
    val until = closing()
    if ((cursor.index until until).exists(k => cursor.isMarker(k - cursor.index))) {
      while (cursor.index < until) if (cursor.isMarker()) cursor.marker(MarkerUse.Value) else cursor.advance()
      Map.empty
    } else embedded(until)(_.parseOptions(_))
  }

  /** The rest of the statement, a query that may hold anything of ours. */
  def query(): EditedText = {
    if (cursor.done) expected("a query")
    val text = EditedText.ofQuery(slice(end), tokens.source)
    cursor.advance(end - cursor.index)
    queries += text
    text.findings.fault.foreach(throw _)
    text
  }

  /** The characters of the tokens from one to the last that was read. */
  def textSince(first: Token): String = {
    val source = tokens.source
    source.parsed.substring(
      source.offset(first.getStartIndex),
      source.offset(cursor.previous.getStopIndex + 1))
  }

  private def slice(until: Int): Array[Token] = {
    val copies = (cursor.index until until).map { i =>
      val copy = new CommonToken(tokens(i))
      copy.setType(PrintedSigns.typeOf(copy))
      copy: Token
    }
    val eof = new CommonToken(tokens(until))
    eof.setType(Token.EOF)
    eof.setChannel(Token.DEFAULT_CHANNEL)
    copies.toArray :+ (eof: Token)
  }
}
