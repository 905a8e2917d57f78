package org.sparkcsql.parse

/** Tells ISTREAM around a query from a function, a table or a CTE of that name. */
private[parse] object OperatorLooks {
  private val queryStarts = TokenTypes.setOf("SELECT WITH FROM")

  /** Behind these words, they are only names. */
  private val afterName = TokenTypes.setOf("RIGHT_PAREN COMMA DOT")

  /** Behind these stands the name of something. */
  private val beforeName = TokenTypes.setOf("INTO TABLE OVERWRITE WITH RECURSIVE DOT COLON USING VIEW EXISTS")

  /** Behind these a query can begin and a function call cannot. */
  private val beforeQuery =
    TokenTypes.setOf("LEFT_PAREN AS UNION EXCEPT SETMINUS INTERSECT ALL SEMICOLON FROM JOIN")

  /** `open` is the parenthesis behind the operator's name. */
  def aroundQuery(tokens: TokenText, open: Int, inRelation: Boolean): Boolean = {
    val before = tokens.typeAt(open - 2)
    val named = beforeName(before) || (before == TokenTypes.Comma && !inRelation)
    val nested = tokens.typeAt(open + 1) == TokenTypes.LeftParen
    val first = firstInside(tokens, open)
    !named && queryStarts(tokens.typeAt(first)) && !afterName(tokens.typeAt(first + 1)) &&
    (!nested || open == 1 || beforeQuery(before))
  }

  private def firstInside(tokens: TokenText, open: Int): Int = {
    var k = open + 1
    while (tokens.typeAt(k) == TokenTypes.LeftParen) k += 1
    k
  }
}
