package org.sparkcsql.parse

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Reads CREATE CONTINUOUS QUERY behind its first words; its clauses may come in any order. */
private[parse] final class CreateQueryReader(statement: StatementCursor) {
  private val cursor = statement.cursor

  private var into: Option[ColumnName] = None
  private var trigger: Option[QueryTrigger] = None
  private var checkpoint: Option[String] = None

  def read(): () => LogicalPlan = {
    val ifNotExists = cursor.take("IF", "NOT", "EXISTS")
    val name = statement.name("the name of the query")
    while (!cursor.done && cursor.word() != "AS") clause()
    statement.need("AS")
    val start = cursor.current
    val query = statement.query()
    val written = statement.textSince(start)
    () =>
      CreateContinuousQuery(
        name,
        into,
        trigger.getOrElse(QueryTrigger.AtOnce),
        checkpoint,
        written,
        EditedSqlParser.parseQuery(query),
        ifNotExists)
  }

  private def clause(): Unit = {
    val first = cursor.current
    if (cursor.take("INTO")) {
      val table = statement.name("a table")
      statement.once(into.isDefined, "INTO", first)
      into = Some(table)
    } else if (cursor.take("TRIGGER")) {
      setTrigger(
        first,
        interval(statement.timeLength("TRIGGER", least = 1L, needsUnit = true)(startsClause)))
    } else if (cursor.take("AVAILABLE")) {
      statement.need("NOW")
      setTrigger(first, QueryTrigger.AvailableNow)
    } else if (cursor.take("CHECKPOINT")) {
      val path = statement.string("a path in quotes")
      statement.once(checkpoint.isDefined, "CHECKPOINT", first)
      checkpoint = Some(path)
    } else statement.expected("INTO, TRIGGER, AVAILABLE NOW, CHECKPOINT or AS query")
  }

  private def setTrigger(first: Token, read: QueryTrigger): Unit = {
    statement.once(trigger.isDefined, "The trigger", first)
    trigger = Some(read)
  }

  private def interval(length: Length): QueryTrigger = length.unit match {
    case LengthUnit.Time(_, micros) if length.value * micros % 1000 == 0 =>
      QueryTrigger.Every(length.value * micros / 1000)
    case _ => CsqlErrors.syntax("CSQL_QUERY_TRIGGER", length.at)
  }

  private def startsClause(c: TokenCursor): Boolean =
    c.done || Set("INTO", "TRIGGER", "AVAILABLE", "CHECKPOINT", "AS")(c.word())
}
