package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser.CsqlParserAccess

import org.sparkcsql.errors.CsqlErrors

/**
 * Refuses texts that no parser of Spark's can finish.
 *
 * Where nesting could mean several things, Spark's parser looks ahead to its end at each level: the time grows with
 * the square of the depth (7 s at 3,200 parentheses, given a stack of 1 GB; minutes at the limit here), and
 * with usual stacks it has overflown long before. Shallower texts are Spark's to judge.
 */
private[parse] object Nesting {
  private val limit = 10000

  private val opening = TokenTypes.setOf("LEFT_PAREN LEFT_BRACKET")
  private val closing = TokenTypes.setOf("RIGHT_PAREN RIGHT_BRACKET END GT")
  private val nestedTypes = TokenTypes.setOf("ARRAY MAP STRUCT")
  private val less = TokenTypes.of("LT")
  private val choice = TokenTypes.of("CASE")
  private val condition = TokenTypes.of("WHEN")

  def check(text: String): Unit =
    if (text.length > limit && mayBeTooDeep(text)) tooDeep(text).foreach { token =>
      CsqlErrors.syntax("CSQL_TEXT_TOO_DEEP", SourceText(text).origin(token))
    }

  /** Counts characters alone: whatever could open a level does. */
  private def mayBeTooDeep(text: String): Boolean = {
    var opened = 0
    var i = 0
    while (i < text.length && opened <= limit) {
      val letter = text.charAt(i)
      if (letter == '(' || letter == '[' || letter == '<') opened += 1
      else if ((letter == 'c' || letter == 'C') && text.regionMatches(true, i, "case", 0, 4)) opened += 1
      i += 1
    }
    opened > limit
  }

  /** The token that opens one level too many. */
  private def tooDeep(text: String): Option[Token] = {
    val tokens =
      new TokenTape(CsqlParserAccess.charStream(text)).record().filter(_.getChannel == Token.DEFAULT_CHANNEL)
    var depth = 0
    var k = 0
    while (k < tokens.length && depth <= limit) {
      val tokenType = tokens(k).getType
      val next = if (k + 1 < tokens.length) tokens(k + 1).getType else Token.EOF
      if (opening(tokenType)) depth += 1
      else if (tokenType == less && k > 0 && nestedTypes(tokens(k - 1).getType)) depth += 1
      else if (tokenType == choice && (next == condition || next == choice)) depth += 1
      else if (closing(tokenType)) depth = math.max(0, depth - 1)
      k += 1
    }
    if (depth > limit) Some(tokens(k - 1)) else None
  }
}
