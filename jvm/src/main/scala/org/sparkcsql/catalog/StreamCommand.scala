package org.sparkcsql.catalog

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/** A statement about declared streams; it runs where the catalog is. */
trait StreamCommand extends LeafRunnableCommand {
  def execute(session: classic.SparkSession): Seq[Row]

  final override def run(session: org.apache.spark.sql.SparkSession): Seq[Row] =
    execute(session.asInstanceOf[classic.SparkSession])
}
