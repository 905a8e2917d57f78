package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.analysis.DeduplicateRelations
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.types.DataType

/** The time column of a stream, held as a whole number of the type's units, and the type itself. */
final case class StreamTime(column: Attribute, dataType: DataType)

/** What orders the tuples of a stream: its time, when it has one, then the tie columns; together they are total. */
final case class StreamOrder(time: Option[StreamTime], ties: Seq[Attribute]) {
  def columns: Seq[Attribute] = time.map(_.column).toSeq ++ ties
}

/** What EXPLAIN and notices tell about a block. */
final case class BlockSummary(algebra: String, defaults: Seq[String]) {
  override def toString: String =
    if (defaults.isEmpty) algebra else s"$algebra, by default: ${defaults.mkString("; ")}"
}

/**
 * The answer stream of one block. Its order travels in hidden columns of the child, so that an
 * enclosing block can use it and `*` and stored tables do not see it.
 *
 * @param clock what tells that the answer is complete up to an instant, when it has not ended
 * @param relation the query itself, where it may be wanted as a relation instead of its answer stream
 * @param orderWanted whether something may still ask for the order: until then the optimiser must
 *   not prune its columns
 */
final case class ContinuousAnswer(
    summary: BlockSummary,
    time: Option[Attribute],
    timeType: Option[DataType],
    ties: Seq[Attribute],
    visible: Seq[Attribute],
    orderWanted: Boolean,
    clock: StreamClock,
    relation: Option[RawBlock],
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = visible
  override lazy val references: AttributeSet =
    AttributeSet(if (orderWanted) visible ++ order.columns else visible)

  def order: StreamOrder =
    StreamOrder(time.zip(timeType).map { case (column, of) => StreamTime(column, of) }, ties)

  /** The same answer with its order's columns in sight. */
  def withOrder: ContinuousAnswer = {
    val shown = AttributeSet(visible)
    copy(visible = visible ++ order.columns.filterNot(shown.contains))
  }

  /** By what it answers: then Spark knows a cached answer again. */
  override protected def doCanonicalize(): LogicalPlan = super.doCanonicalize() match {
    case answer: ContinuousAnswer => answer.copy(relation = None)
    case other => other
  }

  override def simpleString(maxFields: Int): String = s"ContinuousAnswer $summary"
  override protected def withNewChildInternal(newChild: LogicalPlan): ContinuousAnswer =
    copy(child = newChild)
}

object ContinuousAnswer {
  def apply(
      summary: BlockSummary,
      order: StreamOrder,
      visible: Seq[Attribute],
      child: LogicalPlan,
      clock: StreamClock = StreamClock.Arrival): ContinuousAnswer =
    ContinuousAnswer(
      summary,
      order.time.map(_.column),
      order.time.map(_.dataType),
      order.ties,
      visible,
      orderWanted = true,
      clock,
      None,
      child)
}

/** A query as Spark resolved it. */
final class RawBlock(plan: LogicalPlan) extends Serializable {

  /** The query with columns of its own, under the names and identities that are wanted. */
  def instance(output: Seq[Attribute]): LogicalPlan = {
    val fresh = DeduplicateRelations(Join(plan, plan, Inner, None, JoinHint.NONE)).children(1)
    Project(output.zip(fresh.output).map { case (to, from) => Alias(from, to.name)(to.exprId) }, fresh)
  }

  override def toString: String = "query"
}
