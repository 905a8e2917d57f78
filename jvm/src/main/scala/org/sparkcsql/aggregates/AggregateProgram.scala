package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DataType, StructType}
import org.sparkcsql.plan.Section

/** One version of an aggregate, ready to be sent to tasks. */
trait AggregateProgram extends Serializable {
  def name: String
  def argumentTypes: Seq[DataType]
  def returns: DataType
  def isBlocking: Boolean

  /** Whether it is the version for windows, which sees the tuples in the window. */
  def isWindow: Boolean

  /** Whether TERMINATE leaves everything as it was, so that a run can go on after it as if it had not been asked. */
  def onlyReturnsAtEnd: Boolean = false

  /** What tells it from every other program: the state of a query belongs to it. */
  def identity: String

  /** What one task needs to run it. */
  def task(partition: Int): AggregateTask

  /** The runs of its task so far are over: those of another key come. */
  def nextKey(): Unit = ()
}

/** A statement over the local tables, resolved. */
sealed trait LocalStatement extends Serializable {

  /** As it was written. */
  def text: String
}

object LocalStatement {

  /** @param query gives the rows with all columns of the table */
  final case class Insert(table: Int, query: LogicalPlan, text: String) extends LocalStatement

  /** @param query gives the values in its only column */
  final case class Return(query: LogicalPlan, text: String) extends LocalStatement

  /** @param values the whole new row, over the columns of the old one */
  final case class Update(
      table: Int,
      row: Seq[Attribute],
      condition: Option[Expression],
      values: Seq[Expression],
      text: String)
      extends LocalStatement
  final case class Delete(table: Int, row: Seq[Attribute], condition: Option[Expression], text: String)
      extends LocalStatement
}

/**
 * An aggregate written in SQL.
 *
 * @param oldest the columns of the oldest tuple in the window
 * @param tables the types of the local tables
 * @param window which of them is `inwindow`
 */
final class SqlProgram(
    override val name: String,
    val arguments: Seq[Attribute],
    val oldest: Seq[Attribute],
    override val returns: DataType,
    override val isBlocking: Boolean,
    val tables: Seq[StructType],
    val window: Option[Int],
    val sections: Map[Section, Seq[LocalStatement]],
    override val identity: String)
    extends AggregateProgram {
  override def argumentTypes: Seq[DataType] = arguments.map(_.dataType)
  override def isWindow: Boolean = window.isDefined
  override def onlyReturnsAtEnd: Boolean =
    sections.getOrElse(Section.Terminate, Nil).forall(_.isInstanceOf[LocalStatement.Return])
  override def task(partition: Int): AggregateTask = new SqlTask(this, partition)
}
