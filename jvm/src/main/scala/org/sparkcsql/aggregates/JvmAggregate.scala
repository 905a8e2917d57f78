package org.sparkcsql.aggregates

import org.apache.spark.sql.Row

/**
 * An aggregate written in a language of the JVM:
 * `CREATE [WINDOW] AGGREGATE name(…) : Type LANGUAGE JVM 'fully.qualified.Class'`.
 *
 * The class is on the class path and has a constructor without arguments. One instance is made for each
 * group; its fields are its state, which is kept by Java's serialisation. Rows hold the arguments in the
 * order of the declaration; what is added to `returned` is a value of the declared type, a Row for a STRUCT. A
 * whole number may be added where a larger number is declared.
 */
trait JvmAggregate extends Serializable {

  /** The first tuple; by default as any other. */
  def initialize(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit =
    iterate(arguments, window, returned)

  def iterate(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit

  /** All tuples have come, or the answer over a window is wanted. */
  def terminate(window: JvmWindow, returned: JvmReturned): Unit = ()

  /** A tuple leaves the window; it is still in there. */
  def expire(arguments: Row, window: JvmWindow, returned: JvmReturned): Unit = ()

  /** Whether a stream without a window would wait for its answer for ever. */
  def isBlocking: Boolean = true
}

/** The tuples in the window; empty for a version that is not declared WINDOW. */
trait JvmWindow {
  def rows: Iterator[Row]

  /** The oldest tuple, if there is one. */
  def oldest: Option[Row]

  /** Lets tuples go before their time; they do not expire. */
  def delete(which: Row => Boolean): Unit
}

/** Where an aggregate puts the rows that it returns. */
trait JvmReturned {
  def add(value: Any): Unit
}
