package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

/**
 * Follows a text token by token and knows whether a relation may have just ended.
 *
 * `S [Now]` behind a relation is our clause, `a[now]` in an expression is Spark's subscript, and only the place tells
 * them apart. Everything longer than one word is told by its own text, so this needs to be right only for those.
 */
private[parse] final class RelationContext {
  import RelationContext._

  private var levels: List[Level] = List(new Level(relations = false, call = false))
  private var previous = Token.INVALID_TYPE
  private var beforePrevious = Token.INVALID_TYPE

  def inRelation: Boolean = levels.head.relation

  def next(tokenType: Int): Unit = {
    val level = levels.head
    if (tokenType == TokenTypes.Select) level.startSelect()
    else if (tokenType == withQueries && previous == TokenTypes.LeftParen) level.startQueries()
    else if (tokenType == TokenTypes.From) from(level)
    else if (tokenType == TokenTypes.Join) level.startRelations()
    else if (tokenType == TokenTypes.Comma) level.relation = level.inFrom || level.groupsRelations
    else if (tokenType == TokenTypes.LeftParen) open(level)
    else if (tokenType == TokenTypes.RightParen) { if (levels.tail.nonEmpty) levels = levels.tail }
    else if (tokenType == of) level.relation = previous == delay || versions(beforePrevious)
    else if (timestamps(tokenType) && beforeBound(previous)) level.relation = false
    else if (!beforeName(previous))
      if (clauseStarts(tokenType)) level.endRelations()
      else if (expressionStarts(tokenType)) level.relation = false
    beforePrevious = previous
    previous = tokenType
  }

  private def from(level: Level): Unit = {
    val comparison = previous == distinct && negations(beforePrevious)
    if (previous != TokenTypes.Changes && !comparison && (level.select || !level.call)) level.startRelations()
  }

  private def open(level: Level): Unit = {
    val nested = level.relation && beforeRelation(previous)
    levels ::= new Level(relations = nested, call = !nested && !beforeGroup(previous))
  }

  /** One level of parentheses. `relations`: it may group relations; `call`: it may hold arguments of a function. */
  private final class Level(relations: Boolean, val call: Boolean) {
    var select = false
    var inFrom = false
    var relation: Boolean = relations
    var groupsRelations: Boolean = relations

    def startSelect(): Unit = {
      select = true
      startQueries()
    }
    def startQueries(): Unit = {
      groupsRelations = false
      endRelations()
    }
    def startRelations(): Unit = {
      inFrom = true
      relation = true
    }
    def endRelations(): Unit = {
      inFrom = false
      relation = false
    }
  }
}

private object RelationContext {
  private val distinct = TokenTypes.of("DISTINCT")
  private val delay = TokenTypes.of("DELAY")
  private val of = TokenTypes.of("OF")

  /** `CHANGES FROM VERSION 1`, `VERSION AS OF 1`: a number, while timestamps are expressions. */
  private val versions = TokenTypes.setOf("VERSION SYSTEM_VERSION")
  private val timestamps = TokenTypes.setOf("TIMESTAMP SYSTEM_TIME")
  private val beforeBound = TokenTypes.setOf("FROM TO")
  private val withQueries = TokenTypes.of("WITH")
  private val negations = TokenTypes.setOf("IS NOT BANG")
  private val beforeRelation = TokenTypes.setOf("FROM JOIN COMMA LEFT_PAREN LATERAL")

  /** Behind these a keyword is only a name. */
  private val beforeName = TokenTypes.setOf("FROM JOIN COMMA LATERAL DOT STREAM AS")

  /** Before a parenthesis that groups, and does not call. */
  private val beforeGroup =
    TokenTypes.setOf(
      "LEFT_PAREN COMMA AS IN EXISTS UNION EXCEPT SETMINUS INTERSECT ALL DISTINCT SEMICOLON WITH")

  private val clauseStarts = TokenTypes.setOf(
    "WHERE GROUP HAVING QUALIFY ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW UNION EXCEPT SETMINUS INTERSECT " +
      "SEMICOLON OPERATOR_PIPE PIPE SET")

  private val expressionStarts = TokenTypes.setOf("ON USING NEAREST WATERMARK VALUES")
}
