package org.sparkcsql.queries

import java.time.{Instant, ZoneId}
import java.time.format.DateTimeFormatter

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StringType
import org.sparkcsql.catalog.StreamCommand
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** A statement about continuous queries that exist. */
private[queries] trait QueryCommand extends StreamCommand {
  protected def find(session: SparkSession, name: ColumnName): QueryDefinition =
    QueryRegistry.of(session).store.find(QueryName.of(name)).getOrElse {
      CsqlErrors.analysis("CSQL_QUERY_NOT_FOUND", name.at, "name" -> name.text)
    }

  protected def texts(names: String*): Seq[Attribute] =
    names.map(name => AttributeReference(name, StringType, nullable = false)())
}

/** Continuous queries belong to no database: their names have one part. */
private[queries] object QueryName {
  def of(name: ColumnName): String =
    if (name.parts.size == 1) name.parts.head
    else CsqlErrors.analysis("CSQL_QUERY_NAME", name.at, "name" -> name.text)
}

final case class StopQueryCommand(statement: StopContinuousQuery) extends QueryCommand {
  override def execute(session: SparkSession): Seq[Row] = {
    val registry = QueryRegistry.of(session)
    registry.oneByOne(registry.stop(find(session, statement.name), statement.name.at))
    Nil
  }
}

final case class ResumeQueryCommand(statement: ResumeContinuousQuery) extends QueryCommand {
  override def execute(session: SparkSession): Seq[Row] = {
    val registry = QueryRegistry.of(session)
    registry.oneByOne(registry.resume(find(session, statement.name), statement.name.at))
    Nil
  }
}

final case class DropQueryCommand(statement: DropContinuousQuery) extends QueryCommand {
  override def execute(session: SparkSession): Seq[Row] = {
    val registry = QueryRegistry.of(session)
    registry.oneByOne {
      if (!statement.ifExists || registry.store.find(QueryName.of(statement.name)).isDefined)
        registry.drop(find(session, statement.name), statement.name.at)
    }
    Nil
  }
}

final case class ShowQueriesCommand(statement: ShowContinuousQueries) extends QueryCommand {
  override val output: Seq[Attribute] = texts("name", "status", "table", "trigger", "text", "since")

  override def execute(session: SparkSession): Seq[Row] = {
    val registry = QueryRegistry.of(session)
    registry.store.all
      .filter(d => statement.pattern.forall(p => StringUtils.filterPattern(Seq(d.name), p).nonEmpty))
      .map { definition =>
        Row(
          definition.name,
          registry.status(definition).name,
          definition.tableName.unquotedString,
          definition.triggerText,
          definition.text,
          QueryTimes.text(definition.since)
        )
      }
  }
}

private[queries] object QueryTimes {
  private val format = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.of("UTC"))

  def text(millis: Long): String = format.format(Instant.ofEpochMilli(millis)) + " UTC"
}
