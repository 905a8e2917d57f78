package org.sparkcsql.parse

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.{CharStream, Token}

import org.apache.spark.sql.catalyst.parser.{ParseErrorListener, SqlBaseLexer}

/**
 * Spark's lexer, which afterwards plays back tokens that were edited.
 *
 * Between Spark's lexer and Spark's parser our clauses are hidden, single tokens retyped or inserted. No character
 * ever changes, so positions, carets and stored texts stay the user's. It has to be a lexer, because Spark's check
 * for unclosed comments asks its token source for one.
 */
private[parse] final class TokenTape(chars: CharStream) extends SqlBaseLexer(chars) {
  removeErrorListeners()
  addErrorListener(ParseErrorListener)

  private var played: Array[Token] = _
  private var next = 0
  private var endsInComment = false

  /** Runs the lexer over the whole text. The last token is EOF. */
  def record(): Array[Token] = {
    val tokens = ArrayBuffer.empty[Token]
    var last = Token.INVALID_TYPE
    while (last != Token.EOF) {
      val token = super.nextToken()
      // Spark's parser does this when it meets STRUCT<>; by then the rest of our text is lexed already.
      if (token.getType == TokenTypes.NotEqual && last == TokenTypes.Struct) decComplexTypeLevelCounter()
      if (token.getChannel == Token.DEFAULT_CHANNEL) last = token.getType
      tokens += token
    }
    endsInComment = has_unclosed_bracketed_comment
    tokens.toArray
  }

  def play(tokens: Array[Token]): TokenTape = {
    played = tokens
    next = 0
    has_unclosed_bracketed_comment = false
    this
  }

  override def nextToken(): Token = {
    // Spark looks for the unclosed comment at the end of the tokens fetched so far: tell it only at the end.
    if (endsInComment && next >= played.length - 2) has_unclosed_bracketed_comment = true
    val token = played(math.min(next, played.length - 1))
    next += 1
    token
  }
}
