package org.sparkcsql.storage

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.types.{DataType, StructType}
import org.json4s.{DefaultFormats, Formats}
import org.json4s.jackson.Serialization

/** A declared stream as it is kept in a file: all that the view consists of. */
final case class StoredStream(
    version: Int,
    database: String,
    name: String,
    text: String,
    columns: String,
    properties: Map[String, String]) {

  def json: String = Serialization.write(this)(StoredStream.formats)

  def view: CatalogTable = CatalogTable(
    identifier = TableIdentifier(name, Some(database)),
    tableType = CatalogTableType.VIEW,
    storage = CatalogStorageFormat.empty,
    schema = DataType.fromJson(columns).asInstanceOf[StructType],
    properties = properties,
    viewOriginalText = Some(text),
    viewText = Some(text)
  )
}

object StoredStream {
  val formats: Formats = DefaultFormats

  def of(view: CatalogTable): StoredStream = StoredStream(
    version = 1,
    view.database,
    view.identifier.table,
    view.viewText.getOrElse(""),
    view.schema.json,
    view.properties)

  def ofJson(text: String): StoredStream = Serialization.read[StoredStream](text)(formats, manifest)
}
