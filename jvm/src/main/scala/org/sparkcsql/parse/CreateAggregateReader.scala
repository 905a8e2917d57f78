package org.sparkcsql.parse

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.KnownStatement

/** Checks the structure of CREATE AGGREGATE behind its first words: signature, local tables, sections, statements. */
private[parse] final class CreateAggregateReader(statement: StatementCursor) {
  private val cursor = statement.cursor
  private val sections = Seq("INITIALIZE", "ITERATE", "TERMINATE", "EXPIRE")
  private val verbs = Set("INSERT", "UPDATE", "DELETE", "SELECT")

  def read(): () => LogicalPlan = {
    statement.name("the name of the aggregate")
    parenthesised("the arguments in parentheses")
    if (!cursor.takeType(TokenTypes.Colon)) statement.expected("':' and the type of the result")
    resultType()
    if (cursor.take("LANGUAGE")) external() else body()
    () => KnownStatement(StatementKind.CreateAggregate.name)
  }

  /** `(name Type, …)`, possibly empty. */
  private def parenthesised(what: String): Unit = {
    if (cursor.typeAt(0) != TokenTypes.LeftParen) statement.expected(what)
    val close = statement.closing()
    cursor.advance()
    if (cursor.index < close - 1) statement.embedded(close - 1)(_.parseTableSchema(_))
    cursor.advance()
  }

  private def resultType(): Unit =
    if (cursor.typeAt(0) == TokenTypes.LeftParen) parenthesised("the columns of the result")
    else {
      var until = cursor.index
      while (until < cursor.limit && !isBrace("{", until) && cursor.tokens.word(until) != "LANGUAGE")
        until += 1
      if (until == cursor.index) statement.expected("the type of the result")
      statement.embedded(until)(_.parseDataType(_))
    }

  private def external(): Unit = {
    if (!cursor.take("PYTHON") && !cursor.take("JVM")) statement.expected("PYTHON or JVM")
    cursor.take("AS")
    if (cursor.isString) cursor.advance()
    else if (cursor.takeType(TokenTypes.of("BEGIN_DOLLAR_QUOTED_STRING")))
      while (!cursor.done && !cursor.takeType(TokenTypes.of("END_DOLLAR_QUOTED_STRING"))) cursor.advance()
    else statement.expected("the class in quotes, or its code between $$ and $$")
  }

  private def body(): Unit = {
    open("'{' or LANGUAGE")
    while (cursor.take("TABLE")) {
      statement.name("the name of a local table")
      parenthesised("the columns of the table in parentheses")
      if (!cursor.takeType(TokenTypes.Semicolon)) statement.expected("';'")
    }
    var seen = Set.empty[String]
    while (sections.contains(cursor.word())) seen = section(seen)
    if (!seen("ITERATE")) statement.expected("the section ITERATE: {…}")
    close("one of TABLE, INITIALIZE:, ITERATE:, TERMINATE: and EXPIRE:, or '}'")
  }

  /** One or more labels that share a body, `INITIALIZE: ITERATE: {…}`. */
  private def section(before: Set[String]): Set[String] = {
    var seen = before
    while (sections.contains(cursor.word())) {
      val label = cursor.word()
      if (seen(label)) CsqlErrors.syntax("CSQL_CLAUSE_DOUBLED", cursor.at, "part" -> s"The section $label")
      seen += label
      cursor.advance()
      if (!cursor.takeType(TokenTypes.Colon)) statement.expected("':'")
    }
    open("'{'")
    while (!isBrace("}", cursor.index) && !cursor.done) localStatement()
    close("'}'")
    seen
  }

  /** A statement over the local tables, up to its semicolon or the end of the section. */
  private def localStatement(): Unit = {
    if (!verbs(cursor.word())) statement.expected("INSERT, UPDATE, DELETE or SELECT")
    var depth = 0
    while (!cursor.done && !isBrace(
        "}",
        cursor.index) && (depth > 0 || cursor.typeAt(0) != TokenTypes.Semicolon)) {
      if (cursor.typeAt(0) == TokenTypes.LeftParen) depth += 1
      else if (cursor.typeAt(0) == TokenTypes.RightParen) depth -= 1
      if (depth < 0 || isBrace("{", cursor.index)) statement.expected("';' or '}'")
      cursor.advance()
    }
    if (depth > 0) statement.expected("')'")
    cursor.takeType(TokenTypes.Semicolon)
  }

  private def open(what: String): Unit = brace("{", what)
  private def close(what: String): Unit = brace("}", what)

  private def brace(text: String, what: String): Unit =
    if (!cursor.done && isBrace(text, cursor.index)) cursor.advance() else statement.expected(what)

  private def isBrace(text: String, index: Int): Boolean = Braces.is(cursor.tokens, index, text)
}

/** Braces are no tokens of Spark's; its lexer passes them on as unrecognised. */
private[parse] object Braces {
  private val unrecognised = TokenTypes.of("UNRECOGNIZED")

  def is(tokens: TokenText, index: Int, text: String): Boolean =
    tokens.typeAt(index) == unrecognised && tokens(index).getText == text
}
