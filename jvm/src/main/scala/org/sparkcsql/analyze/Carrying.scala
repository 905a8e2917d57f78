package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Cross, Inner, LeftAnti, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.errors.CsqlErrors

/** Takes hidden columns from a stream in a FROM clause up to the SELECT list, past joins and filters. */
object Carrying {

  /** A SELECT list with columns added that it does not hold yet. */
  def append(list: Seq[NamedExpression], columns: Seq[Attribute]): Seq[NamedExpression] = {
    val held = AttributeSet(list.map(_.toAttribute))
    list ++ distinct(columns).filterNot(held.contains)
  }

  def distinct(columns: Seq[Attribute]): Seq[Attribute] =
    columns.foldLeft(Seq.empty[Attribute])((kept, c) => if (kept.exists(_.exprId == c.exprId)) kept else kept :+ c)

  /**
   * Replaces one relation inside a FROM clause and carries `columns` of the replacement to the top.
   * Each tuple of the stream must stand on its own, so joins that add rows for what is *not* in the
   * window are refused.
   */
  def through(
      plan: LogicalPlan,
      relation: LogicalPlan,
      replacement: LogicalPlan,
      columns: Seq[Attribute]): LogicalPlan = {
    def up(node: LogicalPlan): LogicalPlan = node match {
      case same if same eq relation => replacement
      case SubqueryAlias(_, child) => up(child)
      case Filter(condition, child) => Filter(condition, up(child))
      case Project(list, child) => Project(append(list, columns), up(child))
      case generate: Generate => generate.copy(unrequiredChildIndex = Nil, child = up(generate.child))
      case expand: Expand =>
        Expand(expand.projections.map(_ ++ columns), expand.output ++ columns, up(expand.child))
      case hint: ResolvedHint => hint.copy(child = up(hint.child))
      case join: Join if holds(join.left, relation) =>
        join.joinType match {
          case Inner | Cross | LeftOuter | LeftSemi | LeftAnti => join.copy(left = up(join.left))
          case other => refuse(join, other.sql)
        }
      case join: Join =>
        join.joinType match {
          case Inner | Cross | RightOuter => join.copy(right = up(join.right))
          case other => refuse(join, other.sql)
        }
      case lateral: LateralJoin => lateral.copy(left = up(lateral.left))
      case other => refuse(other, other.nodeName)
    }
    up(plan)
  }

  def holds(plan: LogicalPlan, relation: LogicalPlan): Boolean = plan.exists(_ eq relation)

  private def refuse(node: LogicalPlan, what: String): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    node.origin,
    "what" -> s"$what between a windowed stream and the SELECT list",
    "hint" -> "Join the stream from the side whose rows are kept, or put the windowed query into a subquery.")
}
