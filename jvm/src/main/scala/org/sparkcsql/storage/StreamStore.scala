package org.sparkcsql.storage

import org.apache.spark.sql.catalyst.catalog._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.StaticSQLConf.CATALOG_IMPLEMENTATION
import org.sparkcsql.catalog.DeclaredStream

/**
 * Keeps the declared streams of an application whose catalog forgets them.
 *
 * Spark's in-memory catalog, the default without Hive, ends with the application. The streams that are
 * not TEMPORARY are therefore written beside the warehouse's tables and found again by the next application.
 */
final class StreamStore(session: SparkSession) {
  private val folder = new WarehouseFolder(session, "streams")
  private val catalog = session.sharedState.externalCatalog

  /** Whether there is anything to keep: a catalog that persists needs no help. */
  def isNeeded: Boolean = session.sessionState.conf.getConf(CATALOG_IMPLEMENTATION) == "in-memory"

  def save(database: String, name: String): Unit =
    if (isNeeded) {
      val view = catalog.getTable(database, name)
      folder.write(fileName(database, name), StoredStream.of(view).json, replace = true)
    }

  /** Registers what an earlier application declared, and from then on follows what plain SQL does to the views. */
  def restore(): Unit = if (isNeeded) {
    catalog.addListener(follow)
    folder.definitions(".json")(StoredStream.ofJson(_).view).foreach { view =>
      Databases.ensure(session, view.database)
      catalog.createTable(view, ignoreIfExists = true)
    }
  }

  /** DROP VIEW, ALTER VIEW and RENAME are Spark's own statements, so the files follow the catalog's events. */
  private def follow: ExternalCatalogEventListener = {
    case DropTableEvent(database, name) => forget(database, name)
    case AlterTableEvent(database, name, _) => refresh(database, name)
    case RenameTableEvent(database, name, newName) =>
      forget(database, name)
      refresh(database, newName)
    case DropDatabaseEvent(database) =>
      val stored = folder.definitions(".json")(StoredStream.ofJson)
      stored.filter(_.database == database).foreach(stream => forget(database, stream.name))
    case _ =>
  }

  private def refresh(database: String, name: String): Unit =
    if (DeclaredStream.of(catalog.getTable(database, name).properties).isDefined) save(database, name)

  private def forget(database: String, name: String): Unit = folder.delete(fileName(database, name))

  private def fileName(database: String, name: String): String =
    WarehouseFolder.fileName(s"$database.$name") + ".json"
}
