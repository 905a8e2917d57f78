package org.sparkcsql

import org.apache.spark.sql.SparkSessionExtensions

class CsqlExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = InjectOnce(extensions) {
    extensions.injectFunction(CsqlVersion.function)
  }
}
