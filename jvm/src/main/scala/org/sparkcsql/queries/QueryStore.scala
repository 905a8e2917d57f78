package org.sparkcsql.queries

import java.util.Locale

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.storage.WarehouseFolder

/** The definitions of continuous queries, in the warehouse. Names are the same in upper and lower case. */
private[queries] final class QueryStore(session: SparkSession) {
  val folder = new WarehouseFolder(session, "queries")
  private val suffix = ".json"

  def key(name: String): String = WarehouseFolder.fileName(name.toLowerCase(Locale.ROOT))

  def find(name: String): Option[QueryDefinition] =
    folder.definition(key(name) + suffix)(QueryDefinition.ofJson)

  def all: Seq[QueryDefinition] = folder.definitions(suffix)(QueryDefinition.ofJson).sortBy(_.name)

  def save(definition: QueryDefinition): Unit =
    folder.write(key(definition.name) + suffix, definition.json, replace = true)

  def delete(name: String): Unit = folder.delete(key(name) + suffix)

  /** Where a query without CHECKPOINT keeps its progress. */
  def defaultCheckpoint(name: String): Path =
    new Path(new Path(folder.path.getParent, "checkpoints"), key(name))

  def lock(name: String): QueryLock = new QueryLock(folder, key(name) + ".lock", session)
}
