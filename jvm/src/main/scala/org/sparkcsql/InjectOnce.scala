package org.sparkcsql

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.SparkSessionExtensions

/**
 * Spark finds us through `spark.sql.extensions` and again through the service file, and the class may also be
 * named twice. Injecting twice would stack two parsers, so each set of extensions is filled only once.
 */
private[sparkcsql] object InjectOnce {

  // SparkSessionExtensions compares by identity; weak, so that a closed session's extensions can go.
  private val filled =
    Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap[
      SparkSessionExtensions,
      java.lang.Boolean]))

  def apply(extensions: SparkSessionExtensions)(inject: => Unit): Unit =
    if (filled.add(extensions)) inject
}
