package org.sparkcsql.parse

import java.util.Locale

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.{DataType, StringType, StructType}

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Reads CREATE AGGREGATE behind its first words: signature, local tables, sections, statements. */
private[parse] final class CreateAggregateReader(statement: StatementCursor, words: CreateWords) {
  private val cursor = statement.cursor
  private val verbs = Set("INSERT", "UPDATE", "DELETE", "SELECT")

  def read(): () => LogicalPlan = {
    val start = cursor.current
    if (words.temporary && isQualified)
      statement.expected("the name of a TEMPORARY aggregate, without a database,")
    val name = statement.name("the name of the aggregate")
    val arguments = columns("the arguments in parentheses")
    if (!cursor.takeType(TokenTypes.Colon)) statement.expected("':' and the type of the result")
    val returns = resultType()
    val body = if (cursor.take("LANGUAGE")) external() else sql()
    val kinds = (if (words.algebraic) " ALGEBRAIC" else "") + (if (words.window) " WINDOW" else "")
    val definition = AggregateDefinition(
      name,
      arguments,
      returns,
      words.algebraic,
      words.window,
      body,
      s"CREATE$kinds AGGREGATE ${statement.textSince(start)}")
    () => CreateAggregate(definition, words.temporary, words.replace)
  }

  private def isQualified: Boolean = cursor.isName(0) && cursor.typeAt(1) == TokenTypes.Dot

  /** `(name Type, …)`, possibly empty. */
  private def columns(what: String): StructType = {
    if (namesOnly) {
      cursor.advance(2)
      statement.expected("a type")
    }
    val close = openedUntil(what)
    val first = cursor.current
    val schema =
      if (cursor.index < close - 1) statement.embedded(close - 1)(_.parseTableSchema(_)) else new StructType
    refuseTwice(schema.fieldNames.toSeq, first)
    cursor.advance()
    CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema)
  }

  private def refuseTwice(names: Seq[String], first: Token): Unit =
    names.map(_.toLowerCase(Locale.ROOT)).groupBy(identity).find(_._2.size > 1).foreach { case (name, _) =>
      statement.once(seen = true, s"The name $name", first)
    }

  /** Takes the parenthesis that opens here; the token behind the one that closes it. */
  private def openedUntil(what: String): Int = {
    if (cursor.typeAt(0) != TokenTypes.LeftParen) statement.expected(what)
    val close = statement.closing()
    cursor.advance()
    close
  }

  private def resultType(): DataType =
    if (cursor.typeAt(0) == TokenTypes.LeftParen) columns("the columns of the result")
    else {
      var until = cursor.index
      while (until < cursor.limit && !isBrace("{", until) && cursor.tokens.word(until) != "LANGUAGE")
        until += 1
      if (until == cursor.index) statement.expected("the type of the result")
      // Spark wants a length behind CHAR
      if (until == cursor.index + 1 && (cursor.take("CHAR") || cursor.take("VARCHAR"))) StringType
      else CharVarcharUtils.replaceCharVarcharWithString(statement.embedded(until)(_.parseDataType(_)))
    }

  private def external(): AggregateBody = {
    val language = cursor.word()
    if (!cursor.take("PYTHON") && !cursor.take("JVM")) statement.expected("PYTHON or JVM")
    cursor.take("AS")
    val first = cursor.current
    val code =
      if (cursor.isString) cursor.string()
      else if (cursor.takeType(TokenTypes.of("BEGIN_DOLLAR_QUOTED_STRING"))) {
        while (!cursor.done && !cursor.takeType(TokenTypes.of("END_DOLLAR_QUOTED_STRING"))) cursor.advance()
        statement.textSince(first).stripPrefix("$$").stripSuffix("$$")
      } else statement.expected("the class in quotes, or its code between $$ and $$")
    AggregateBody.External(language, code, cursor.since(first))
  }

  private def sql(): AggregateBody = {
    brace("{", "'{' or LANGUAGE")
    val tables = new ArrayBuffer[LocalTableDefinition]
    while (cursor.take("TABLE")) {
      val table = localTable()
      if (tables.exists(_.name.text.equalsIgnoreCase(table.name.text)))
        CsqlErrors.syntax(
          "CSQL_CLAUSE_DOUBLED",
          table.name.at,
          "part" -> s"The local table ${table.name.text}")
      tables += table
    }
    var sections = Map.empty[Section, Seq[BodyStatement]]
    while (label.isDefined) sections ++= section(sections.keySet)
    if (!sections.contains(Section.Iterate)) statement.expected("the section ITERATE: {…}")
    brace("}", "one of TABLE, INITIALIZE:, ITERATE:, TERMINATE: and EXPIRE:, or '}'")
    AggregateBody.Sql(tables.toSeq, sections)
  }

  private def localTable(): LocalTableDefinition = {
    val name = statement.name("the name of a local table")
    val fields =
      if (LocalTableDefinition.isWindow(name.text) && namesOnly) bareNames()
      else columns("the columns of the table in parentheses").map(f => f.name -> Some(f.dataType))
    if (!cursor.takeType(TokenTypes.Semicolon)) statement.expected("';'")
    LocalTableDefinition(name, fields)
  }

  private def namesOnly: Boolean =
    cursor.typeAt(0) == TokenTypes.LeftParen && cursor.isName(1) &&
      (cursor.typeAt(2) == TokenTypes.Comma || cursor.typeAt(2) == TokenTypes.RightParen)

  private def bareNames(): Seq[(String, Option[DataType])] = {
    cursor.advance()
    val first = cursor.current
    val names = statement.names("the name of a column")
    refuseTwice(names.map(_.text), first)
    if (!cursor.takeType(TokenTypes.RightParen)) statement.expected("')'")
    names.map(name => name.text -> None)
  }

  private def label: Option[Section] = Section.all.find(_.name == cursor.word())

  /** One or more labels that share a body, `INITIALIZE: ITERATE: {…}`. */
  private def section(before: Set[Section]): Map[Section, Seq[BodyStatement]] = {
    var labels = Set.empty[Section]
    while (label.isDefined) {
      val own = label.get
      if (before(own) || labels(own))
        CsqlErrors.syntax("CSQL_CLAUSE_DOUBLED", cursor.at, "part" -> s"The section ${own.name}")
      labels += own
      cursor.advance()
      if (!cursor.takeType(TokenTypes.Colon)) statement.expected("':'")
    }
    brace("{", "'{'")
    val statements = new ArrayBuffer[BodyStatement]
    while (!isBrace("}", cursor.index) && !cursor.done) statements += localStatement()
    brace("}", "'}'")
    labels.map(_ -> statements.toSeq).toMap
  }

  /** A statement over the local tables, up to its semicolon or the end of the section. */
  private def localStatement(): BodyStatement = {
    if (!verbs(cursor.word())) {
      if (cursor.word().isEmpty) statement.expected("INSERT, UPDATE or DELETE")
      cursor.fail("CSQL_AGGREGATE_STATEMENT", "reason" -> s"Found ${cursor.found}.")
    }
    val start = cursor.current
    val (end, where) = statementEnd()
    val plan = statement.embedded(where.getOrElse(end))(_.parsePlan(_))
    val condition = where.map { _ =>
      cursor.advance()
      statement.embedded(end)(_.parseExpression(_))
    }
    val read = BodyStatement(plan, condition, cursor.since(start), statement.textSince(start))
    cursor.takeType(TokenTypes.Semicolon)
    read
  }

  /**
   * Where the statement at the cursor ends, and where the WHERE stands that follows the VALUES of an INSERT: not
   * that of a SELECT, which may have VALUES in its FROM.
   */
  private def statementEnd(): (Int, Option[Int]) = {
    val tokens = cursor.tokens
    var depth = 0
    var (inserts, afterValues, where) = (cursor.word() == "INSERT", false, Option.empty[Int])
    var k = cursor.index
    while (k < cursor.limit && !isBrace("}", k) && (depth > 0 || tokens.typeAt(k) != TokenTypes.Semicolon)) {
      if (tokens.typeAt(k) == TokenTypes.LeftParen) depth += 1
      else if (tokens.typeAt(k) == TokenTypes.RightParen) depth -= 1
      if (depth < 0 || isBrace("{", k)) failAt(k, "';' or '}'")
      if (depth == 0) tokens.word(k) match {
        case "SELECT" | "FROM" => inserts = false
        case "VALUES" => afterValues = true
        case "WHERE" if inserts && afterValues && where.isEmpty => where = Some(k)
        case _ =>
      }
      k += 1
    }
    if (depth > 0) failAt(k, "')'")
    (k, where)
  }

  private def failAt(index: Int, what: String): Nothing = {
    cursor.advance(index - cursor.index)
    statement.expected(what)
  }

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

/** What papers print and Spark spells in another way: comparison signs, and RETURN as the name of a table. */
private[parse] object PrintedSigns {
  private val unrecognised = TokenTypes.of("UNRECOGNIZED")
  private val signs = Map("≤" -> "LTE", "≥" -> "GTE", "≠" -> "NEQ")
  private val returnWord = TokenTypes.of("RETURN")

  def typeOf(token: Token): Int =
    if (token.getType == unrecognised) signs.get(token.getText).fold(token.getType)(TokenTypes.of)
    else if (token.getType == returnWord) TokenTypes.Identifier
    else token.getType
}
