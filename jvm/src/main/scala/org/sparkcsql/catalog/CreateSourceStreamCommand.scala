package org.sparkcsql.catalog

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.plan._
import org.sparkcsql.source.{SourceDefinition, SourceProviders, SourceUri}

/** `CREATE STREAM … SOURCE` and `… USING`: a view over the function that reads the source. */
final case class CreateSourceStreamCommand(statement: CreateStream) extends StreamCommand {
  override def execute(session: SparkSession): Seq[Row] = {
    val name = new StreamCatalog(session).identifier(statement.name)
    val catalog = session.sessionState.catalog
    val label =
      if (statement.temporary) name.table
      else name.database.getOrElse(catalog.getCurrentDatabase) + "." + name.table
    val source = definition(label)
    SourceProviders.require(source.provider, statement.origin)
    val text = source.viewText
    // Plain SQL of Spark's, which needs no parser of ours.
    val view = statement.copy(columnNames = Nil)
    CreateStreamCommand(view, text, CatalystSqlParser.parsePlan(text)).execute(session)
  }

  private def definition(label: String): SourceDefinition = statement.body match {
    case StreamBody.Source(uri, columns) => new SourceUri(uri, columns, label, statement.origin).definition
    case StreamBody.Format(provider, options, columns) =>
      SourceDefinition(label, provider, None, options, columns)
    case _: StreamBody.Query => throw new IllegalStateException("a stream over a query has no source")
  }
}
