package org.sparkcsql.storage

import org.apache.spark.sql.catalyst.catalog.CatalogDatabase
import org.apache.spark.sql.classic.SparkSession

/** An in-memory catalog begins with the database `default` alone. */
private[sparkcsql] object Databases {
  def ensure(session: SparkSession, name: String): Unit = {
    val catalog = session.sharedState.externalCatalog
    if (!catalog.databaseExists(name)) {
      val location = session.sessionState.catalog.getDefaultDBPath(name)
      catalog.createDatabase(CatalogDatabase(name, "", location, Map.empty), ignoreIfExists = true)
    }
  }
}
