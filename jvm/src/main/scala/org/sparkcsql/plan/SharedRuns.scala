package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows of one partition that stand in order. */
final case class Run(partition: Int, count: Long, first: UnsafeRow, last: UnsafeRow)

/**
 * How many rows there are, and, if they stand in order up to the order of their runs, where each
 * partition's runs begin: pairs of a run's length and the number of rows before it.
 */
final case class RunIndex(total: Long, runs: Option[Array[Array[(Long, Long)]]])

object SharedRuns {

  /** For plans that are compared, not run. */
  val none = new SharedRuns
}

/** Holds what was found out about the rows of a stream, for all operators of one execution that number them. */
final class SharedRuns {
  private var execution: String = null
  private var found: RunIndex = null

  def of(current: String)(find: => RunIndex): RunIndex = synchronized {
    if (current == null || current != execution) {
      found = find
      execution = current
    }
    found
  }

  /** Shown in the plan of a query that has run. */
  override def toString: String = synchronized {
    if (found == null) "" else if (found.runs.isDefined) "rows are in order" else "rows are sorted"
  }
}
