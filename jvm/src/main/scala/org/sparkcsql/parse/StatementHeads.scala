package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

/** The statements of the language, and how each is written. */
private[parse] sealed abstract class StatementKind(val name: String, val syntax: String)
private[parse] object StatementKind {
  case object CreateStream
      extends StatementKind(
        "CREATE STREAM",
        "CREATE [OR REPLACE] [TEMPORARY] STREAM [IF NOT EXISTS] name [(col [Type], …)] [ORDER BY ts[, tie…]] " +
          "[SLACK n unit] [LATE INTO name] {AS query | SOURCE 'uri' | USING format [OPTIONS (…)]}"
      )
  case object DropStream extends StatementKind("DROP STREAM", "DROP STREAM [IF EXISTS] name")
  case object ShowStreams extends StatementKind("SHOW STREAMS", "SHOW STREAMS [LIKE 'pattern']")
  case object DescribeStream extends StatementKind("DESCRIBE STREAM", "DESCRIBE STREAM name")
  case object CreateQuery
      extends StatementKind(
        "CREATE CONTINUOUS QUERY",
        "CREATE CONTINUOUS QUERY [IF NOT EXISTS] name [INTO table] [TRIGGER n unit | AVAILABLE NOW] " +
          "[CHECKPOINT 'path'] AS query"
      )
  case object DropQuery
      extends StatementKind("DROP CONTINUOUS QUERY", "DROP CONTINUOUS QUERY [IF EXISTS] name")
  case object ShowQueries
      extends StatementKind("SHOW CONTINUOUS QUERIES", "SHOW CONTINUOUS QUERIES [LIKE 'pattern']")
  case object DescribeQuery
      extends StatementKind("DESCRIBE CONTINUOUS QUERY", "DESCRIBE CONTINUOUS QUERY name")
  case object StopQuery extends StatementKind("STOP CONTINUOUS QUERY", "STOP CONTINUOUS QUERY name")
  case object ResumeQuery extends StatementKind("RESUME CONTINUOUS QUERY", "RESUME CONTINUOUS QUERY name")
  case object CreateAggregate
      extends StatementKind(
        "CREATE AGGREGATE",
        "CREATE [OR REPLACE] [TEMPORARY] [ALGEBRAIC] [WINDOW] AGGREGATE name(arg Type, …) : Type { TABLE t(col Type, …); " +
          "… INITIALIZE: {…} ITERATE: {…} TERMINATE: {…} EXPIRE: {…} }, or … : Type LANGUAGE {PYTHON | JVM} 'class'"
      )
  case object DropAggregate
      extends StatementKind("DROP AGGREGATE", "DROP [TEMPORARY] AGGREGATE [IF EXISTS] name")
  case object ShowAggregates extends StatementKind("SHOW AGGREGATES", "SHOW AGGREGATES [LIKE 'pattern']")
  case object DescribeAggregate extends StatementKind("DESCRIBE AGGREGATE", "DESCRIBE AGGREGATE name")
}

/** The words a CREATE begins with. */
private[parse] final case class CreateWords(
    replace: Boolean,
    temporary: Boolean,
    algebraic: Boolean = false,
    window: Boolean = false)

/** A recognised statement; its own words are the tokens `from until body`. */
private[parse] final case class StatementHead(kind: StatementKind, words: CreateWords, body: Int)

/** Recognises our statements by their first words. */
private[parse] object StatementHeads {
  import StatementKind._

  private val startsStatement =
    TokenTypes.setOf(
      "SEMICOLON BEGIN THEN ELSE DO LOOP REPEAT ATOMIC EXPLAIN EXTENDED FORMATTED CODEGEN COST")

  /** Can a statement begin behind this token? In a script, and behind EXPLAIN, many do. */
  def startsBehind(tokenType: Int): Boolean = tokenType == Token.INVALID_TYPE || startsStatement(tokenType)

  /**
   * Our statement that begins at this token.
   *
   * @param isTable whether there is a table of a name: `DESCRIBE stream s` is also how Spark describes the column s of
   *                a table called stream, and it stays so where there is one
   */
  def find(tokens: TokenText, from: Int, isTable: String => Boolean): Option[StatementHead] = {
    val cursor = new TokenCursor(tokens, from, tokens.length - 1)
    cursor.word() match {
      case "CREATE" => create(cursor)
      case "DROP" => drop(cursor)
      case "SHOW" => show(cursor)
      case "DESC" | "DESCRIBE" => describe(cursor, isTable)
      case "STOP" => head(cursor, StopQuery, "STOP", "CONTINUOUS", "QUERY")
      case "RESUME" => head(cursor, ResumeQuery, "RESUME", "CONTINUOUS", "QUERY")
      case _ => None
    }
  }

  private val plainWords = CreateWords(replace = false, temporary = false)
  private val temporaryWords = plainWords.copy(temporary = true)

  private def head(cursor: TokenCursor, kind: StatementKind, words: String*): Option[StatementHead] =
    if (cursor.take(words: _*)) Some(StatementHead(kind, plainWords, cursor.index)) else None

  private def create(cursor: TokenCursor): Option[StatementHead] = {
    cursor.advance()
    val replace = cursor.take("OR", "REPLACE")
    val temporary = cursor.take("TEMPORARY") || cursor.take("TEMP")
    val words = CreateWords(replace, temporary)
    if (cursor.take("STREAM")) Some(StatementHead(CreateStream, words, cursor.index))
    else if (!replace && !temporary && cursor.take("CONTINUOUS", "QUERY"))
      Some(StatementHead(CreateQuery, words, cursor.index))
    else {
      val early = cursor.take("WINDOW")
      val algebraic = cursor.take("ALGEBRAIC")
      val own = words.copy(algebraic = algebraic, window = early || cursor.take("WINDOW"))
      if (cursor.take("AGGREGATE")) Some(StatementHead(CreateAggregate, own, cursor.index)) else None
    }
  }

  private def drop(cursor: TokenCursor): Option[StatementHead] =
    head(cursor, DropStream, "DROP", "STREAM")
      .orElse(head(cursor, DropQuery, "DROP", "CONTINUOUS", "QUERY"))
      .orElse(head(cursor, DropAggregate, "DROP", "AGGREGATE"))
      .orElse(head(cursor, DropAggregate, "DROP", "TEMPORARY", "AGGREGATE").map(_.copy(words =
        temporaryWords)))

  /** `SHOW streams FUNCTIONS` is Spark's, whatever the scope is called. */
  private def show(cursor: TokenCursor): Option[StatementHead] =
    if (cursor.word(2) == "FUNCTIONS") None
    else
      head(cursor, ShowStreams, "SHOW", "STREAMS")
        .orElse(head(cursor, ShowQueries, "SHOW", "CONTINUOUS", "QUERIES"))
        .orElse(head(cursor, ShowAggregates, "SHOW", "AGGREGATES"))

  private def describe(cursor: TokenCursor, isTable: String => Boolean): Option[StatementHead] = {
    val verb = cursor.word()
    if (cursor.word(1) == "CONTINUOUS" && cursor.isName(3))
      head(cursor, DescribeQuery, verb, "CONTINUOUS", "QUERY")
    else if (!cursor.isName(2) || isPlainDescribe(cursor)) None
    else if (cursor.word(1) == "STREAM" && !isTable("stream")) head(cursor, DescribeStream, verb, "STREAM")
    else if (cursor.word(1) == "AGGREGATE" && !isTable("aggregate"))
      head(cursor, DescribeAggregate, verb, "AGGREGATE")
    else None
  }

  /** `DESCRIBE stream PARTITION (…)` and `DESCRIBE stream AS JSON`. */
  private def isPlainDescribe(cursor: TokenCursor): Boolean =
    (cursor.word(2) == "PARTITION" && cursor.typeAt(3) == TokenTypes.LeftParen) ||
      (cursor.word(2) == "AS" && cursor.word(3) == "JSON")
}
