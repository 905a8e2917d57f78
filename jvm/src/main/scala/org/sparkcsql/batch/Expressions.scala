package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.types.{IntegerType, LongType}
import org.sparkcsql.plan.NumberedWithin

/** Small pieces of Spark's own plans that the lowering is built from. */
private[sparkcsql] object Expressions {
  def long(value: Long): Literal = Literal(value, LongType)

  def ascending(columns: Seq[Attribute]): Seq[SortOrder] = columns.map(SortOrder(_, Ascending))

  def withColumns(plan: LogicalPlan, columns: Seq[NamedExpression]): LogicalPlan =
    if (columns.isEmpty) plan else Project(plan.output ++ columns, plan)

  /**
   * Copies of columns under new identities, so that both sides of an operator can come from one
   * stream. The names differ too, or Spark would take the copies for redundant and remove them.
   */
  def copies(columns: Seq[Attribute]): Seq[Alias] = columns.map(c => Alias(c, s"${c.name} there")())

  /** The running number of each row among the rows of equal `keys`. */
  def numberWithin(
      keys: Seq[Attribute],
      order: Seq[Attribute],
      plan: LogicalPlan): (LogicalPlan, Attribute) = {
    val number = AttributeReference("number", LongType, nullable = false)()
    (NumberedWithin(keys, order, number, plan), number)
  }

  /** The value of `column` in the row `distance` rows later among the rows of equal `keys`. */
  def ahead(
      column: Attribute,
      distance: Long,
      default: Option[Long],
      keys: Seq[Attribute],
      order: Seq[Attribute],
      plan: LogicalPlan): (LogicalPlan, Attribute) = {
    val offset = Literal(math.min(distance, Int.MaxValue - 1L).toInt, IntegerType)
    val lead = Lead(column, offset, default.fold(Literal(null, LongType))(long), ignoreNulls = false)
    over(lead, keys, ascending(order), lead.frame, "ahead", plan)
  }

  def over(
      function: Expression,
      keys: Seq[Attribute],
      order: Seq[SortOrder],
      frame: WindowFrame,
      name: String,
      plan: LogicalPlan): (LogicalPlan, Attribute) = {
    val column = Alias(WindowExpression(function, WindowSpecDefinition(keys, order, frame)), name)()
    (Window(Seq(column), keys, order, plan), column.toAttribute)
  }
}
