package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnaryNode}
import org.apache.spark.sql.catalyst.trees.{TreeNodeTag, UnaryLike}

/** `item [Range …, Frequency …]` in a FROM clause, as parsed. Spark resolves around it; analysis replaces it. */
final case class WindowedRelation(clause: WindowClause, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): WindowedRelation =
    copy(child = newChild)
}

/**
 * The alias of items of FROM in parentheses, as in `(a JOIN b USING (k)) AS j(k, x)`. Spark resolves USING and a list of
 * columns to a Project, which looks like a query of its own and is none: so the alias is marked when it is parsed.
 */
object AliasedItems {
  private val Mark = TreeNodeTag[Unit]("csql.aliasedItems")

  def mark(alias: SubqueryAlias): Unit = alias.setTagValue(Mark, ())
  def unapply(alias: SubqueryAlias): Option[LogicalPlan] =
    alias.getTagValue(Mark).map(_ => alias.child)
}

/** `SELECT … [Frequency …] …`: samples the answer stream of the block below. */
final case class AnswerFrequency(frequency: Frequency, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): AnswerFrequency = copy(child = newChild)
}

/** ISTREAM, DSTREAM and RSTREAM. */
sealed abstract class StreamOperator(val name: String) extends Product with Serializable
object StreamOperator {
  case object Inserted extends StreamOperator("ISTREAM")
  case object Deleted extends StreamOperator("DSTREAM")
  case object Relation extends StreamOperator("RSTREAM")
  val all: Seq[StreamOperator] = Seq(Inserted, Deleted, Relation)
}

final case class RelationToStream(operator: StreamOperator, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): RelationToStream =
    copy(child = newChild)
}

/**
 * A query that is a whole statement. A program may go on with its answer, as in `spark.sql(…).count()`, and Spark Connect
 * analyses both at once: without this node what follows would be read as a part of the query's block.
 *
 * It is no UnaryNode, because Spark looks for missing columns below those, and would widen the SELECT list.
 */
final case class WholeQuery(child: LogicalPlan) extends LogicalPlan with UnaryLike[LogicalPlan] {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): WholeQuery = copy(child = newChild)
}
