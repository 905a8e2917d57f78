package org.sparkcsql.queries

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.types.{DataType, StructType}
import org.json4s.{DefaultFormats, Formats}
import org.json4s.jackson.Serialization
import org.sparkcsql.plan.QueryTrigger

/**
 * A continuous query as it is kept in a file; every application on the warehouse reads the same.
 *
 * @param columns those of its table
 * @param options how the files of its table are written and read
 */
final case class QueryDefinition(
    version: Int,
    name: String,
    text: String,
    database: String,
    table: String,
    provider: String,
    location: String,
    columns: String,
    triggerText: String,
    checkpoint: String,
    catalog: String,
    namespace: Seq[String],
    settings: Map[String, String],
    status: String,
    since: Long,
    errorClass: Option[String],
    errorMessage: Option[String],
    options: Map[String, String] = Map.empty) {

  def tableName: TableIdentifier = TableIdentifier(table, Some(database))
  def schema: StructType = DataType.fromJson(columns).asInstanceOf[StructType]
  def trigger: QueryTrigger = QueryTrigger.of(triggerText)
  def lastStatus: QueryStatus = QueryStatus.of(status)
  def json: String = Serialization.write(this)(QueryDefinition.formats)

  def now(status: QueryStatus, error: Option[Throwable] = None): QueryDefinition = copy(
    status = status.name,
    since = System.currentTimeMillis(),
    errorClass = error.map(_.getClass.getName),
    errorMessage = error.map(e => String.valueOf(e.getMessage))
  )
}

object QueryDefinition {
  val CurrentVersion = 1
  private val formats: Formats = DefaultFormats

  def ofJson(text: String): QueryDefinition = Serialization.read[QueryDefinition](text)(formats, manifest)
}

/** What a continuous query does now. */
sealed abstract class QueryStatus(val name: String) extends Product with Serializable
object QueryStatus {
  case object Running extends QueryStatus("RUNNING")
  case object Stopped extends QueryStatus("STOPPED")
  case object Failed extends QueryStatus("FAILED")

  /** An AVAILABLE NOW query that has processed what there was. */
  case object Finished extends QueryStatus("FINISHED")

  def of(name: String): QueryStatus = Seq(Running, Stopped, Failed, Finished)
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"unknown status $name"))
}
