package org.sparkcsql.parse

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.sparkcsql.plan.KnownStatement

/** Reads CREATE CONTINUOUS QUERY behind its first words; its clauses may come in any order. */
private[parse] final class CreateQueryReader(statement: StatementCursor) {
  private val cursor = statement.cursor

  def read(): () => LogicalPlan = {
    statement.name("the name of the query")
    var seen = Set.empty[String]
    def once(clause: String)(read: => Unit): Unit = {
      val first = cursor.current
      read
      statement.once(seen(clause), clause, first)
      seen += clause
    }
    while (!cursor.done && cursor.word() != "AS") cursor.word() match {
      case "INTO" =>
        once("INTO") {
          cursor.advance()
          statement.name("a table")
        }
      case "TRIGGER" =>
        once("The trigger") {
          cursor.advance()
          statement.timeLength("TRIGGER", least = 1L, needsUnit = true)(startsClause)
        }
      case "AVAILABLE" =>
        once("The trigger") {
          cursor.advance()
          statement.need("NOW")
        }
      case "CHECKPOINT" =>
        once("CHECKPOINT") {
          cursor.advance()
          statement.string("a path in quotes")
        }
      case _ => statement.expected("INTO, TRIGGER, AVAILABLE NOW, CHECKPOINT or AS query")
    }
    statement.need("AS")
    val query = statement.query()
    () => {
      EditedSqlParser.parseQuery(query)
      KnownStatement(StatementKind.CreateQuery.name)
    }
  }

  private def startsClause(c: TokenCursor): Boolean =
    c.done || Set("INTO", "TRIGGER", "AVAILABLE", "CHECKPOINT", "AS")(c.word())
}
