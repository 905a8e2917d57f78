package org.apache.spark.sql.csql

import org.apache.spark.SparkEnv
import org.apache.spark.shuffle.sort.SortShuffleManager

/** Spark shows its shuffles to its own packages alone. */
object Shuffles {

  /** Whether the rows of a task come out of each partition of a shuffle as they went in: other managers may mix them. */
  def keepOrder: Boolean = SparkEnv.get.shuffleManager.isInstanceOf[SortShuffleManager]
}
