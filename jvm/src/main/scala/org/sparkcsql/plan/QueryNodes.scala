package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** `item [Range …, Frequency …]` in a FROM clause, as parsed. Spark resolves around it; analysis replaces it. */
final case class WindowedRelation(clause: WindowClause, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): WindowedRelation =
    copy(child = newChild)
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
