package org.apache.spark

import java.net.URL

/**
 * Clients ask Spark for the text of an error by its condition (PySpark does so for every error that
 * has a place in a query), and Spark looks only into its own catalogue. Our conditions are therefore
 * added to it; Spark offers no other way.
 */
object CsqlErrorCatalogue {
  def add(conditions: URL): Unit = synchronized {
    val catalogue = SparkThrowableHelper.errorReader
    val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
    field.setAccessible(true)
    field.set(catalogue, catalogue.errorInfoMap ++ new ErrorClassesJsonReader(Seq(conditions)).errorInfoMap)
  }
}
