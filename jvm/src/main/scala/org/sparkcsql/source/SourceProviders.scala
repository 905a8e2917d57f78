package org.sparkcsql.source

import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.connector.catalog.TableProvider
import org.apache.spark.sql.execution.datasources.{DataSource, FileFormat}
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.StreamSourceProvider
import org.sparkcsql.errors.CsqlErrors

/** What is to be known about Spark's data sources before one is read. */
private[sparkcsql] object SourceProviders {
  private val connectors = Map(
    "kafka" -> "spark-sql-kafka-0-10_2.13",
    "avro" -> "spark-avro_2.13"
  )

  /** Rows of these formats are parsed from text, so there may be some that do not fit. */
  def isText(provider: String): Boolean = Set("json", "csv", "xml")(provider.toLowerCase(Locale.ROOT))

  /** Whether it gives the rows of files, whose columns must be declared; text has one of its own. */
  def needsColumns(provider: String): Boolean =
    provider.toLowerCase(Locale.ROOT) != "text" && isOfFiles(provider)

  private def isOfFiles(provider: String): Boolean = {
    val implementation = DataSource.lookupDataSource(provider, SQLConf.get)
    Seq(classOf[FileFormat], classOf[FileDataSourceV2]).exists(_.isAssignableFrom(implementation))
  }

  /** Refuses a provider that is not on the class path, and says what would bring it there. */
  def require(provider: String, at: Origin): Unit =
    try DataSource.lookupDataSource(provider, SQLConf.get)
    catch {
      case NonFatal(missing) =>
        val hint = connectors.get(provider.toLowerCase(Locale.ROOT)) match {
          case Some(connector) =>
            s"Start Spark with its connector, for example --packages org.apache.spark:$connector:${org.apache.spark.SPARK_VERSION}."
          case None => s"Put its connector on the class path. Spark says: ${missing.getMessage}"
        }
        CsqlErrors.analysis("CSQL_SOURCE_UNAVAILABLE", at, "provider" -> provider, "hint" -> hint)
    }

  /** Does it read the columns it is told, or has it columns of its own, as `rate` has? */
  def takesColumns(provider: String): Boolean = {
    val implementation = DataSource.lookupDataSource(provider, SQLConf.get)
    def is(parent: Class[_]) = parent.isAssignableFrom(implementation)
    if (isOfFiles(provider)) true
    else if (is(classOf[TableProvider]))
      implementation.getConstructor().newInstance().asInstanceOf[TableProvider].supportsExternalMetadata()
    else is(classOf[StreamSourceProvider])
  }
}
