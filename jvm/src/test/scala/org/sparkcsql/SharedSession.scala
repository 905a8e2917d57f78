package org.sparkcsql

import org.apache.spark.sql.classic.SparkSession

/** The one session of all suites; it ends with the JVM, because no suite knows which one is the last. */
object SharedSession {
  lazy val spark: SparkSession = org.apache.spark.sql.SparkSession
    .builder()
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.extensions", classOf[CsqlExtensions].getName)
    .config("spark.sql.warehouse.dir", java.nio.file.Files.createTempDirectory("csql-warehouse").toString)
    .getOrCreate()
    .asInstanceOf[SparkSession]
}
