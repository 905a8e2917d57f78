package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Leaves out tuples without a time and counts them. */
final case class DropNullTimes(time: Attribute, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): DropNullTimes = copy(child = newChild)
}
