package org.apache.spark.sql.csql

import org.apache.spark.rdd.InputFileBlockHolder
import org.apache.spark.unsafe.types.UTF8String

/** Spark tells its own packages alone which file a task is reading. */
object InputFiles {

  /** The same object for all rows of one file. */
  def current: UTF8String = InputFileBlockHolder.getInputFilePath
}
