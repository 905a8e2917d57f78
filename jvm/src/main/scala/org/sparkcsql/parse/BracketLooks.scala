package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

/** Which `]` closes which `[`. */
private[parse] final class BracketPairs(tokens: TokenText) {
  private val closing: Array[Int] = {
    val found = Array.fill(tokens.length)(-1)
    var open: List[Int] = Nil
    var k = 0
    while (k < tokens.length) {
      if (tokens.typeAt(k) == TokenTypes.LeftBracket) open ::= k
      else if (tokens.typeAt(k) == TokenTypes.RightBracket && open.nonEmpty) {
        found(open.head) = k
        open = open.tail
      }
      k += 1
    }
    found
  }

  /** The index of the closing bracket, or -1. */
  def close(open: Int): Int = closing(open)
}

/** Tells our brackets from Spark's subscripts, by looking a few tokens ahead. */
private[parse] object BracketLooks {
  private val operatorWords = Set("DIV", "COLLATE")

  /** Tokens behind which the rest of a SELECT list cannot go on. */
  private val endsElement: Set[Int] =
    TokenTypes.setOf(
      "COMMA FROM RIGHT_PAREN SEMICOLON OPERATOR_PIPE WHERE GROUP HAVING ORDER LIMIT UNION EXCEPT INTERSECT LATERAL") +
      Token.EOF

  private val quantifiers = TokenTypes.setOf("DISTINCT ALL")
  private val hintEnd = TokenTypes.of("HENT_END")

  /** True if the bracket is ours, well formed or not. */
  def likeClause(tokens: TokenText, open: Int, inRelation: Boolean): Boolean =
    ClauseGrammar.partWords(tokens.word(open + 1)) && (inRelation || !ambiguous(tokens, open))

  /** True if Spark could read the content as an expression: `[now]`, `[rows + 1]`, `[range(1)]`, `[v:n]`. */
  def ambiguous(tokens: TokenText, open: Int): Boolean = {
    val next = open + 2
    val nextType = tokens.typeAt(next)
    if (nextType == TokenTypes.Colon) continuesExpression(tokens, next + 2)
    else if (nextType == TokenTypes.Minus) !endsLength(tokens, next + 2)
    else continuesExpression(tokens, next)
  }

  private def continuesExpression(tokens: TokenText, index: Int): Boolean = {
    val word = tokens.word(index)
    if (word.nonEmpty) operatorWords(word)
    else {
      val tokenType = tokens.typeAt(index)
      !TokenTypes.numbers(tokenType) && tokenType != TokenTypes.Comma && tokenType != TokenTypes.Question &&
      tokenType != TokenTypes.Identifier && tokenType != TokenTypes.StringLiteral &&
      tokenType != TokenTypes.BackquotedIdentifier
    }
  }

  /** Behind a negative number: a unit, a comma or another part, none of which an expression can have there. */
  private def endsLength(tokens: TokenText, index: Int): Boolean =
    TokenTypes.numbers(tokens.typeAt(index - 1)) &&
      (tokens.typeAt(index) == TokenTypes.Comma || (tokens.word(index).nonEmpty && !operatorWords(
        tokens.word(index))))

  /** True if the next token is the first of a SELECT list. */
  def opensSelect(tokens: TokenText, index: Int): Boolean = {
    val tokenType = tokens.typeAt(index)
    tokenType == TokenTypes.Select || tokenType == hintEnd ||
    (quantifiers(tokenType) && opensSelect(tokens, index - 1))
  }

  def endsSelectElement(tokenType: Int): Boolean = endsElement(tokenType)

  /** The first name with its AS in `(SELECT …) AS PulseRate PR [`, where the second one is the alias. */
  def extraName(tokens: TokenText, open: Int): Option[(Int, Int)] = {
    def isAlias(index: Int) = isPlainName(index) ||
      TokenText.isWordLike(tokens.typeAt(index), tokens.word(index))
    def isPlainName(index: Int) = tokens.typeAt(index) == TokenTypes.Identifier ||
      tokens.typeAt(index) == TokenTypes.BackquotedIdentifier
    val start = if (tokens.typeAt(open - 3) == TokenTypes.As) open - 3 else open - 2
    if (isAlias(open - 1) && isPlainName(open - 2) && tokens.typeAt(start - 1) == TokenTypes.RightParen)
      Some((start, open - 2))
    else None
  }
}
