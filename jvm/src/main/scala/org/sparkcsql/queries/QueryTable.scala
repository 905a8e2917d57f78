package org.sparkcsql.queries

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.streaming.sinks.{FileStreamSink, FileStreamSinkLog}
import org.apache.spark.sql.types.StructType
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.storage.Databases

/**
 * The table that a continuous query fills: files, and Spark's log of the committed ones among them.
 *
 * The log counts batches from 0 and hides files that it does not know. So a query must begin with an
 * empty folder: rows that were there before would vanish, and batches that another query has counted
 * would be skipped.
 */
private[queries] final class QueryTable(session: SparkSession) {
  import QueryTable._

  private def catalog = session.sessionState.catalog

  def isThere(name: TableIdentifier): Boolean = catalog.tableExists(name)

  /** The table to be filled: a new one, or one that exists, is empty and fits. */
  def choose(name: TableIdentifier, query: String, columns: StructType, at: Origin): CatalogTable = {
    val refuse = (reason: String) =>
      CsqlErrors.analysis("CSQL_QUERY_TABLE", at, "table" -> name.unquotedString, "reason" -> reason)
    columns.groupBy(_.name.toLowerCase(Locale.ROOT)).collectFirst {
      case (twice, fields) if fields.size > 1 => refuse(s"the query gives the column $twice twice")
    }
    if (!isThere(name)) {
      DataSourceUtils.verifySchema(new ParquetFileFormat, columns)
      val table = described(name, query, "parquet", columns, catalog.defaultTablePath(name))
      if (holdsFiles(table.location)) refuse("its folder holds files of a table that is not registered here")
      table
    } else {
      val table = catalog.getTableMetadata(name)
      if (table.isViewLike) refuse("it is a view")
      if (!table.provider.exists(formats)) refuse("its format is not one of " + formats.mkString(", "))
      if (table.partitionColumnNames.nonEmpty || table.bucketSpec.nonEmpty)
        refuse("it is partitioned or bucketed")
      if (shape(table.schema) != shape(columns))
        refuse(s"its columns are ${table.schema.toDDL}, the query gives ${columns.toDDL}")
      if (table.schema.exists(column => CharVarcharUtils.getRawType(column.metadata).isDefined))
        refuse("the lengths of its CHAR and VARCHAR columns would not be kept")
      if (holdsFiles(table.location)) refuse("it holds rows already")
      table
    }
  }

  /**
   * Makes the table and marks it as the query's; or, in an application that does not know it, makes it
   * known again over the files that are there.
   */
  def register(definition: QueryDefinition): Unit = {
    Databases.ensure(session, definition.database)
    if (!isThere(definition.tableName)) {
      val table = described(
        definition.tableName,
        definition.name,
        definition.provider,
        definition.schema,
        new java.net.URI(definition.location),
        definition.options)
      catalog.createTable(table, ignoreIfExists = true, validateLocation = false)
    } else {
      val table = catalog.getTableMetadata(definition.tableName)
      if (!table.properties.get(Marker).contains(definition.name))
        catalog.alterTable(table.copy(properties = table.properties + (Marker -> definition.name)))
    }
  }

  /** Leaves a table as it was before a query that did not start: without its log, and nobody's. */
  def release(definition: QueryDefinition): Unit = {
    val path = new Path(new java.net.URI(definition.location))
    val system = path.getFileSystem(session.sessionState.newHadoopConf())
    system.delete(new Path(path, FileStreamSink.metadataDir), true)
    val table = catalog.getTableMetadata(definition.tableName)
    catalog.alterTable(table.copy(properties = table.properties - Marker))
  }

  /**
   * Batches that were answered are not answered again, so a table that was dropped or overwritten would lack
   * them for ever; another one that has its name now is not the query's.
   */
  def requireAnswers(definition: QueryDefinition): Unit = {
    val commits = new Path(definition.checkpoint, "commits")
    val system = commits.getFileSystem(session.sessionState.newHadoopConf())
    val batches =
      if (!system.exists(commits)) Nil
      else system.listStatus(commits).toSeq.flatMap(_.getPath.getName.toLongOption)
    def isAnothers =
      isThere(definition.tableName) &&
        !catalog.getTableMetadata(definition.tableName).properties.get(Marker).contains(definition.name)
    if (batches.nonEmpty && (isAnothers || !lastWritten(definition).exists(_ >= batches.max)))
      CsqlErrors.analysis(
        "CSQL_QUERY_ANSWERS_LOST",
        Origin(),
        "name" -> definition.name,
        "table" -> definition.tableName.unquotedString)
  }

  /** The last batch whose answers the table has. */
  private def lastWritten(definition: QueryDefinition): Option[Long] = {
    val log = new Path(new Path(new java.net.URI(definition.location)), FileStreamSink.metadataDir)
    val system = log.getFileSystem(session.sessionState.newHadoopConf())
    if (!system.exists(log)) None
    else new FileStreamSinkLog(FileStreamSinkLog.VERSION, session, log.toString).getLatestBatchId()
  }

  private def described(
      name: TableIdentifier,
      query: String,
      provider: String,
      columns: StructType,
      location: java.net.URI,
      options: Map[String, String] = Map.empty) = CatalogTable(
    identifier = name,
    tableType = CatalogTableType.MANAGED,
    storage = CatalogStorageFormat.empty.copy(locationUri = Some(location), properties = options),
    schema = columns,
    provider = Some(provider),
    properties = Map(Marker -> query)
  )

  def holdsFiles(location: java.net.URI): Boolean = {
    val path = new Path(location)
    val system = path.getFileSystem(session.sessionState.newHadoopConf())
    system.exists(path) && system.listStatus(path).nonEmpty
  }

  private def shape(schema: StructType) =
    schema.map(field => (field.name.toLowerCase(Locale.ROOT), field.dataType.sql))
}

object QueryTable extends Logging {
  /** Makes the results of an earlier application's queries readable again, where the catalog has forgotten them. */
  def restore(session: SparkSession): Unit = {
    val tables = new QueryTable(session)
    new QueryStore(session).all.foreach { definition =>
      try {
        Databases.ensure(session, definition.database)
        if (!tables.isThere(definition.tableName) && tables.holdsFiles(new java.net.URI(definition.location)))
          tables.register(definition)
      } catch {
        case NonFatal(e) =>
          logWarning(s"The table of the continuous query ${definition.name} cannot be read here", e)
      }
    }
  }

  /** The property of a table that tells which continuous query made it. */
  val Marker = "csql.continuous.query"

  private val formats = Set("parquet", "orc", "json", "csv")
}
