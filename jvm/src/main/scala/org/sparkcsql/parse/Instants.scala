package org.sparkcsql.parse

import org.antlr.v4.runtime.{CommonToken, Token}

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import org.sparkcsql.plan.Instant

/** Reads constant instants; what they mean is left to Spark's own parser. */
private[parse] object Instants {
  private val typeNames = Set("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE")

  def startsHere(cursor: TokenCursor, ahead: Int = 0): Boolean = {
    val next = cursor.typeAt(ahead)
    TokenTypes.numbers(next) || next == TokenTypes.Minus || next == TokenTypes.StringLiteral ||
    next == TokenTypes.DoubleQuotedString || cursor.isMarker(ahead) || typeNames(cursor.word(ahead))
  }

  def read(cursor: TokenCursor, part: String): Instant = {
    val source = cursor.tokens.source
    val start = cursor.index
    val first = cursor.current
    if (cursor.done) missing(cursor, part)
    source.replacement(first) match {
      case Some(bound) =>
        while (!cursor.done && source.replacement(cursor.current).contains(bound)) cursor.advance()
      case None if cursor.isMarker() =>
        cursor.marker(MarkerUse.Value)
        return Instant(Literal(null), cursor.since(first))
      case None => constant(cursor, part)
    }
    Instant(parse(cursor.tokens, start, cursor.index), cursor.since(first))
  }

  private def constant(cursor: TokenCursor, part: String): Unit = {
    if (typeNames(cursor.word())) cursor.advance()
    else if (cursor.typeAt(0) == TokenTypes.Minus && TokenTypes.numbers(cursor.typeAt(1))) cursor.advance()
    if (TokenTypes.numbers(cursor.typeAt(0))) cursor.advance()
    else if (cursor.isString) while (cursor.isString) cursor.advance()
    else missing(cursor, part)
  }

  private def missing(cursor: TokenCursor, part: String): Nothing =
    cursor.fail("CSQL_INSTANT_INVALID", "part" -> part, "found" -> cursor.found)

  /** Spark parses copies of just these tokens, so that faults it finds stand at their true places. */
  private def parse(tokens: TokenText, from: Int, until: Int): Expression = {
    val copies = (from until until).map(i => new CommonToken(tokens(i)): Token)
    val end = new CommonToken(tokens(until))
    end.setType(Token.EOF)
    EditedSqlParser.ofSlice(
      copies.toArray :+ (end: Token),
      tokens.source).parseExpression(tokens.source.parsed)
  }
}
