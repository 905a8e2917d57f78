package org.sparkcsql.aggregates

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/** One statement, ready to run. */
private[aggregates] abstract class StatementRun(val text: String) {
  def run(outside: InternalRow, tables: Array[LocalTable], returned: ArrayBuffer[Any]): Unit
}

/**
 * Makes the statements of an aggregate runnable. A statement sees the tables as they were when it began.
 *
 * @param around the columns of what is known to all statements
 */
private[aggregates] final class RunnableStatements(
    queries: LocalQueries,
    around: Seq[Attribute],
    returns: DataType) {

  def runnable(statement: LocalStatement): StatementRun = statement match {
    case LocalStatement.Insert(table, query, text) =>
      val rows = queries(query, around)
      new StatementRun(text) {
        override def run(
            outside: InternalRow,
            tables: Array[LocalTable],
            returned: ArrayBuffer[Any]): Unit = {
          val found = rows.rows(outside).map(_.asInstanceOf[UnsafeRow].copy()).toArray
          found.foreach(tables(table).insert(_))
        }
      }
    case LocalStatement.Return(query, text) =>
      val rows = queries(query, around)
      new StatementRun(text) {
        override def run(outside: InternalRow, tables: Array[LocalTable], returned: ArrayBuffer[Any]): Unit =
          rows.rows(outside).foreach(row => returned += InternalRow.copyValue(row.get(0, returns)))
      }
    case LocalStatement.Update(table, row, condition, values, text) =>
      val chosen = new ChosenRows(LocalTableRelation(table, row), condition)
      val changed = queries.projection(values, around ++ row)
      val joined = new JoinedRow
      new StatementRun(text) {
        override def run(
            outside: InternalRow,
            tables: Array[LocalTable],
            returned: ArrayBuffer[Any]): Unit = {
          def after(old: LocalRow): UnsafeRow = changed(joined(outside, old.row))
          val found = chosen(outside)
          if (found.length == 1) tables(table).replace(found.head, after(found.head))
          else {
            val changes = found.map(after(_).copy())
            found.indices.foreach(i => tables(table).replace(found(i), changes(i)))
          }
        }
      }
    case LocalStatement.Delete(table, row, condition, text) =>
      val chosen = new ChosenRows(LocalTableRelation(table, row), condition)
      new StatementRun(text) {
        override def run(outside: InternalRow, tables: Array[LocalTable], returned: ArrayBuffer[Any]): Unit =
          chosen(outside).foreach(tables(table).delete)
      }
  }

  /** The rows of a table that an UPDATE or a DELETE is about. */
  private final class ChosenRows(table: LocalTableRelation, condition: Option[Expression]) {
    private val near = queries.lookup(table, condition, around)
    private val passes = condition.map(queries.predicate(_, around ++ table.output))
    private val joined = new JoinedRow
    private val chosen = new ArrayBuffer[LocalRow]

    /** To be used up before the next call. */
    def apply(outside: InternalRow): ArrayBuffer[LocalRow] = {
      chosen.clear()
      val candidates = near(outside)
      while (candidates.hasNext) {
        val candidate = candidates.next()
        if (passes.forall(_.eval(joined(outside, candidate.row)))) chosen += candidate
      }
      chosen
    }
  }
}
