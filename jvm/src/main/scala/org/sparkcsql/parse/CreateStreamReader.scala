package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** The list behind the name of a stream: names alone, or names with types. */
private final case class ColumnList(names: Seq[String], types: Option[StructType], first: Option[Token])

/** Reads CREATE STREAM behind its first words; its clauses may come in any order. */
private[parse] final class CreateStreamReader(statement: StatementCursor, words: CreateWords) {
  private val cursor = statement.cursor

  private var orderBy: Option[Seq[ColumnName]] = None
  private var slack: Option[Length] = None
  private var lateInto: Option[ColumnName] = None
  private var body: Option[ColumnList => () => StreamBody] = None

  def read(): () => LogicalPlan = {
    val first = cursor.current
    val ifNotExists = cursor.take("IF", "NOT", "EXISTS")
    if (ifNotExists && words.replace)
      CsqlErrors.syntax(
        "CSQL_CLAUSE_CONTRADICTORY",
        cursor.since(first),
        "part" -> "IF NOT EXISTS",
        "other" -> "OR REPLACE",
        "hint" -> "Keep one of them.")
    val name = statement.name("the name of the stream")
    val columns = if (cursor.typeAt(0) == TokenTypes.LeftParen) columnList() else ColumnList(Nil, None, None)
    while (!cursor.done) clause()
    val makeBody = body.getOrElse(statement.expected("AS query, SOURCE 'uri' or USING format"))(columns)
    val traits = StreamTraits(orderBy.getOrElse(Nil), slack, lateInto)
    () => CreateStream(name, columns.names, traits, makeBody(), words.temporary, words.replace, ifNotExists)
  }

  private def columnList(): ColumnList = {
    val first = cursor.current
    val close = statement.closing()
    cursor.advance()
    val namesOnly =
      cursor.isName() && (cursor.typeAt(1) == TokenTypes.Comma || cursor.typeAt(1) == TokenTypes.RightParen)
    val columns =
      if (namesOnly) ColumnList(statement.names("a column").map(_.text), None, Some(first))
      else {
        val schema = statement.embedded(close - 1)(_.parseTableSchema(_))
        ColumnList(schema.fieldNames.toSeq, Some(schema), Some(first))
      }
    if (!cursor.takeType(TokenTypes.RightParen)) statement.expected("',' or ')'")
    columns
  }

  private def clause(): Unit = {
    val first = cursor.current
    if (cursor.take("ORDER", "BY")) {
      val columns = statement.names("a column")
      statement.once(orderBy.isDefined, "ORDER BY", first)
      orderBy = Some(columns)
    } else if (cursor.take("SLACK")) {
      val length = statement.timeLength("SLACK", least = 0L, needsUnit = false)(startsClause)
      statement.once(slack.isDefined, "SLACK", first)
      slack = Some(length)
    } else if (cursor.take("LATE", "INTO")) {
      val name = statement.name("the name of a stream for late rows")
      statement.once(lateInto.isDefined, "LATE INTO", first)
      lateInto = Some(name)
    } else if (cursor.take("SOURCE")) source(first)
    else if (cursor.take("USING")) format(first)
    else if (cursor.take("AS")) query(first)
    else statement.expected("ORDER BY, SLACK, LATE INTO, AS query, SOURCE 'uri' or USING format")
  }

  private def startsClause(c: TokenCursor): Boolean =
    c.done || Set("ORDER", "SLACK", "LATE", "SOURCE", "USING", "AS")(c.word())

  private def source(first: Token): Unit = {
    val uri = statement.string("a source in quotes")
    setBody(first) { columns =>
      val types = typed(columns)
      () => StreamBody.Source(uri, types)
    }
  }

  private def format(first: Token): Unit = {
    val provider = statement.name("a format")
    val options = if (cursor.take("OPTIONS")) statement.options() else Map.empty[String, String]
    setBody(first) { columns =>
      val types = typed(columns)
      () => StreamBody.Format(provider.text, options, types)
    }
  }

  private def query(first: Token): Unit = {
    val start = cursor.current
    val text = statement.query()
    val written = statement.textSince(start)
    setBody(first) { columns =>
      if (columns.types.isDefined) refuseTypes(columns)
      () => StreamBody.Query(written, EditedSqlParser.parseQuery(text))
    }
  }

  private def setBody(first: Token)(make: ColumnList => () => StreamBody): Unit = {
    statement.once(body.isDefined, "The origin of the rows (AS, SOURCE or USING)", first)
    body = Some(make)
  }

  private def typed(columns: ColumnList): StructType = columns.types.getOrElse {
    if (columns.names.nonEmpty)
      CsqlErrors.syntax(
        "CSQL_CLAUSE_INCOMPLETE",
        cursor.tokens.source.origin(columns.first.get),
        "part" -> "The column list of a SOURCE",
        "missing" -> "a type behind each name",
        "hint" -> "Write for example (id INT, ts TIMESTAMP)."
      )
    new StructType
  }

  private def refuseTypes(columns: ColumnList): Nothing = CsqlErrors.syntax(
    "CSQL_CLAUSE_CONTRADICTORY",
    cursor.tokens.source.origin(columns.first.get),
    "part" -> "A column list with types",
    "other" -> "AS query",
    "hint" -> "The query gives the types: write the names alone, as in (a, b), or CAST in the query."
  )
}
