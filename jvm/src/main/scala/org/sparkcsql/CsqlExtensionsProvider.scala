package org.sparkcsql

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

/** Loads the extension from the class path alone, through Java's service loader: no configuration needed. */
class CsqlExtensionsProvider extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = new CsqlExtensions().apply(extensions)
}
