package org.sparkcsql.catalog

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{DataType, StructField}
import org.sparkcsql.errors.CsqlErrors
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
    val inferred = session.sessionState.conf.streamingSchemaInference
    if (source.columns.isEmpty && !inferred && SourceProviders.needsColumns(source.provider))
      CsqlErrors.analysis(
        "CSQL_SOURCE_COLUMNS",
        statement.origin,
        "name" -> label,
        "provider" -> source.provider)
    source.columns.find(column => CharVarcharUtils.hasCharVarchar(rawType(column))).foreach { column =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        statement.origin,
        "what" -> s"The column ${column.name} of a source with the type ${rawType(column).sql}",
        "hint" -> s"Declare it as STRING; WHERE length(${column.name}) <= n in a query tells which are too long."
      )
    }
    val text = source.viewText
    // Plain SQL of Spark's, which needs no parser of ours.
    val view = statement.copy(columnNames = Nil)
    CreateStreamCommand(view, text, CatalystSqlParser.parsePlan(text)).execute(session)
  }

  /** As it was written; the parser takes CHAR and VARCHAR for STRING. */
  private def rawType(column: StructField): DataType =
    CharVarcharUtils.getRawType(column.metadata).getOrElse(column.dataType)

  private def definition(label: String): SourceDefinition = statement.body match {
    case StreamBody.Source(uri, columns) => new SourceUri(uri, columns, label, statement.origin).definition
    case StreamBody.Format(provider, options, columns) =>
      SourceDefinition(label, provider, None, options, columns)
    case _: StreamBody.Query => throw new IllegalStateException("a stream over a query has no source")
  }
}
