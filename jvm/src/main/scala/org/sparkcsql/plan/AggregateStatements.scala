package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafCommand, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types._

/** The parts of an aggregate's body, by the events that run them. */
sealed abstract class Section(val name: String) extends Product with Serializable
object Section {
  case object Initialize extends Section("INITIALIZE")
  case object Iterate extends Section("ITERATE")
  case object Terminate extends Section("TERMINATE")
  case object Expire extends Section("EXPIRE")
  val all: Seq[Section] = Seq(Initialize, Iterate, Terminate, Expire)
}

/**
 * A statement of a section as Spark's parser read it.
 *
 * @param condition what follows VALUES behind WHERE, which is no SQL of Spark's
 */
final case class BodyStatement(
    plan: LogicalPlan,
    condition: Option[Expression],
    at: Origin,
    text: String)

/** A table of one run of an aggregate; the columns of `inwindow` may leave out their types. */
final case class LocalTableDefinition(name: ColumnName, columns: Seq[(String, Option[DataType])]) {
  def isWindow: Boolean = LocalTableDefinition.isWindow(name.text)
}

object LocalTableDefinition {
  def isWindow(name: String): Boolean = name.equalsIgnoreCase("inwindow")
}

/** What an aggregate does. */
sealed trait AggregateBody
object AggregateBody {
  final case class Sql(tables: Seq[LocalTableDefinition], sections: Map[Section, Seq[BodyStatement]])
      extends AggregateBody
  final case class External(language: String, code: String, at: Origin) extends AggregateBody
}

/**
 * Where an aggregate was made.
 *
 * @param database in which the names in its body are looked for
 * @param temporary whether it is its session's own, and so may call what is
 */
final case class AggregateHome(database: String, temporary: Boolean)

/**
 * One version of an aggregate as it was written.
 *
 * @param text the statement that makes it, to be stored and parsed again
 * @param home where it lives, once it does
 */
final case class AggregateDefinition(
    name: ColumnName,
    arguments: StructType,
    returns: DataType,
    algebraic: Boolean,
    saysWindow: Boolean,
    body: AggregateBody,
    text: String,
    home: Option[AggregateHome] = None) {

  /** Whether it is the version for windows: it says so, or it speaks of the window. */
  val isWindow: Boolean = saysWindow || (body match {
    case AggregateBody.Sql(tables, sections) =>
      sections.contains(Section.Expire) || tables.exists(_.isWindow)
    case _ => false
  })

  /** What a call gives and gets, which is the same for both versions. */
  def types: (Seq[DataType], DataType) = (arguments.map(_.dataType), returns)

  def signature: String = {
    val list = arguments.map(field => s"${field.name} ${field.dataType.sql}").mkString(", ")
    s"${name.parts.last}($list) : ${returns.sql}"
  }
}

final case class CreateAggregate(definition: AggregateDefinition, temporary: Boolean, replace: Boolean)
    extends LeafCommand {
  override def output: Seq[Attribute] = Nil
}

final case class DropAggregate(name: ColumnName, ifExists: Boolean, temporary: Boolean) extends LeafCommand
final case class ShowAggregates(pattern: Option[String]) extends LeafCommand
final case class DescribeAggregate(name: ColumnName) extends LeafCommand
