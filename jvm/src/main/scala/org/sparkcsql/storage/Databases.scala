package org.sparkcsql.storage

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.CatalogDatabase
import org.apache.spark.sql.classic.SparkSession

/** An in-memory catalog begins with the database `default` alone. */
private[sparkcsql] object Databases {
  def ensure(session: SparkSession, name: String): Unit = {
    val catalog = session.sharedState.externalCatalog
    if (!catalog.databaseExists(name)) {
      // Spark's default is relative, to be qualified by those who create databases
      val location = session.sessionState.catalog.getDefaultDBPath(name).getPath
      val inWarehouse = new Path(session.sessionState.conf.warehousePath, location).toUri
      catalog.createDatabase(CatalogDatabase(name, "", inWarehouse, Map.empty), ignoreIfExists = true)
    }
  }
}
