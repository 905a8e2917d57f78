package org.sparkcsql.storage

import org.apache.spark.sql.classic.SparkSession
import org.json4s.{DefaultFormats, Formats}
import org.json4s.jackson.Serialization
import org.sparkcsql.aggregates.{AggregateCatalog, AggregateKey}
import org.sparkcsql.plan.{AggregateDefinition, AggregateHome, CreateAggregate}

/** One version of an aggregate as it is kept in a file: the statement that made it. */
private final case class StoredAggregate(version: Int, database: String, name: String, text: String)

/** Keeps the aggregates that are not TEMPORARY beside the warehouse's tables, for the next application. */
final class AggregateStore(session: SparkSession) {
  private implicit val formats: Formats = DefaultFormats
  private val folder = new WarehouseFolder(session, "aggregates")

  def save(key: AggregateKey, definition: AggregateDefinition): Unit = {
    val stored = StoredAggregate(1, key.database.get, key.name, definition.text)
    folder.write(file(key, definition.isWindow), Serialization.write(stored), replace = true)
  }

  def delete(key: AggregateKey): Unit = Seq(false, true).foreach(window => folder.delete(file(key, window)))

  def restore(): Unit = {
    val catalog = new AggregateCatalog(session)
    folder.definitions(".json")(read).foreach { case (key, definition) =>
      catalog.put(key, catalog.find(key).replaced(definition))
    }
  }

  private def read(json: String): (AggregateKey, AggregateDefinition) = {
    val stored = Serialization.read[StoredAggregate](json)
    session.sessionState.sqlParser.parsePlan(stored.text) match {
      case create: CreateAggregate =>
        val home = AggregateHome(stored.database, temporary = false)
        AggregateKey(Some(stored.database), stored.name) -> create.definition.copy(home = Some(home))
      case other => throw new IllegalStateException(s"not the definition of an aggregate: ${other.nodeName}")
    }
  }

  private def file(key: AggregateKey, window: Boolean): String =
    WarehouseFolder.fileName(s"${key.database.get}.${key.name}${if (window) " window" else ""}") + ".json"
}
