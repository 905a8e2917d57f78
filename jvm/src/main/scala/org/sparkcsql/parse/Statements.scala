package org.sparkcsql.parse

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.sparkcsql.plan
import org.sparkcsql.plan.ColumnName

/**
 * A statement of ours, read up to its embedded queries.
 *
 * @param queries texts of their own, whose parameter markers belong to the statement
 * @param make called when Spark's tree is visited: the queries are parsed then
 */
private[parse] final class ParsedStatement(val queries: Seq[EditedText], make: () => LogicalPlan) {
  def plan(): LogicalPlan = make()
}

/** Reads the statements that are one line of words; the longer ones have their own files. */
private[parse] object Statements {
  import StatementKind._

  /** The cursor stands behind the statement's first words and ends with the statement. */
  def read(head: StatementHead, cursor: TokenCursor): ParsedStatement = {
    val statement = new StatementCursor(cursor, head.kind)
    val make: () => LogicalPlan = head.kind match {
      case CreateStream => new CreateStreamReader(statement, head.words).read()
      case CreateQuery => new CreateQueryReader(statement).read()
      case CreateAggregate => new CreateAggregateReader(statement, head.words).read()
      case DropStream =>
        val ifExists = cursor.take("IF", "EXISTS")
        named(statement)(plan.DropStream(_, ifExists))
      case DescribeStream => named(statement)(plan.DescribeStream(_))
      case ShowStreams => patterned(statement)(plan.ShowStreams(_))
      case DropQuery =>
        val ifExists = cursor.take("IF", "EXISTS")
        named(statement)(plan.DropContinuousQuery(_, ifExists))
      case DescribeQuery => named(statement)(plan.DescribeContinuousQuery(_))
      case StopQuery => named(statement)(plan.StopContinuousQuery(_))
      case ResumeQuery => named(statement)(plan.ResumeContinuousQuery(_))
      case ShowQueries => patterned(statement)(plan.ShowContinuousQueries(_))
      case ShowAggregates => patterned(statement)(plan.ShowAggregates(_))
      case DropAggregate =>
        val ifExists = cursor.take("IF", "EXISTS")
        named(statement)(plan.DropAggregate(_, ifExists, head.words.temporary))
      case DescribeAggregate => named(statement)(plan.DescribeAggregate(_))
    }
    statement.needEnd()
    new ParsedStatement(statement.queries.toSeq, make)
  }

  private def named(statement: StatementCursor)(make: ColumnName => LogicalPlan): () => LogicalPlan = {
    val name = statement.name("a name")
    () => make(name)
  }

  private def patterned(statement: StatementCursor)(make: Option[String] => LogicalPlan)
      : () => LogicalPlan = {
    val like = statement.cursor.take("LIKE")
    val pattern =
      if (like || statement.cursor.isString) Some(statement.string("a pattern in quotes")) else None
    () => make(pattern)
  }
}
