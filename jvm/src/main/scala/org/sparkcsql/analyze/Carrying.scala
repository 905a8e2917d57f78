package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Cross, Inner, LeftAnti, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.errors.CsqlErrors

/**
 * A FROM clause with hidden columns.
 *
 * @param columns the hidden columns
 * @param order those that order its rows: by the tuples of its items, in the order of the items
 */
final case class Carried(plan: LogicalPlan, columns: Seq[Attribute], order: Seq[Attribute]) {
  def map(change: LogicalPlan => LogicalPlan): Carried = copy(plan = change(plan))
  def beside(other: Carried, both: LogicalPlan): Carried =
    Carried(both, columns ++ other.columns, order ++ other.order)
}

/** Takes hidden columns from a stream in a FROM clause up to the SELECT list, past joins and filters. */
object Carrying {

  /** A SELECT list with columns added that it does not hold yet. */
  def append(list: Seq[NamedExpression], columns: Seq[Attribute]): Seq[NamedExpression] = {
    val held = AttributeSet(list.map(_.toAttribute))
    list ++ distinct(columns).filterNot(held.contains)
  }

  def distinct(columns: Seq[Attribute]): Seq[Attribute] =
    columns.foldLeft(Seq.empty[Attribute])((kept, c) =>
      if (kept.exists(_.exprId == c.exprId)) kept else kept :+ c)

  /**
   * Replaces one relation inside a FROM clause and carries `columns` of the replacement to the top.
   * Each tuple of the stream must stand on its own, so joins that add rows for what is *not* in the
   * window are refused.
   *
   * @param order what orders the tuples of the replacement
   * @param orderTables whether the rows of the other items are to be ordered too
   */
  def through(
      plan: LogicalPlan,
      relation: LogicalPlan,
      replacement: LogicalPlan,
      columns: Seq[Attribute],
      order: Seq[Attribute],
      orderTables: Boolean): Carried = {
    def table(item: LogicalPlan): Carried =
      if (!orderTables) Carried(item, Nil, Nil)
      else {
        val arrival = Alias(ArrivalNumber(), "arrival")()
        Carried(Project(item.output :+ arrival, item), Seq(arrival.toAttribute), Seq(arrival.toAttribute))
      }
    // the rows that one row has become
    def numbered(rows: Carried): Carried = {
      val own = table(rows.plan)
      Carried(own.plan, rows.columns ++ own.columns, rows.order ++ own.order)
    }
    def up(node: LogicalPlan): Carried = node match {
      case same if same eq relation => Carried(replacement, columns, order)
      case SubqueryAlias(_, child) => up(child)
      case Filter(condition, child) => up(child).map(Filter(condition, _))
      case Project(list, child) =>
        val carried = up(child)
        carried.map(Project(append(list, carried.columns), _))
      case generate: Generate =>
        numbered(up(generate.child).map(c => generate.copy(unrequiredChildIndex = Nil, child = c)))
      case expand: Expand =>
        val carried = up(expand.child)
        carried.map(Expand(expand.projections.map(_ ++ carried.columns), expand.output ++ carried.columns, _))
      case hint: ResolvedHint => up(hint.child).map(c => hint.copy(child = c))
      case join: Join => joined(join, relation, up, table)
      case lateral: LateralJoin => numbered(up(lateral.left).map(c => lateral.copy(left = c)))
      case other => refuse(other, other.nodeName)
    }
    up(plan)
  }

  private def joined(
      join: Join,
      relation: LogicalPlan,
      up: LogicalPlan => Carried,
      table: LogicalPlan => Carried): Carried =
    if (holds(join.left, relation)) {
      join.joinType match {
        case Inner | Cross | LeftOuter =>
          val (left, right) = (up(join.left), table(join.right))
          left.beside(right, join.copy(left = left.plan, right = right.plan))
        case LeftSemi | LeftAnti => up(join.left).map(c => join.copy(left = c))
        case other => refuse(join, other.sql)
      }
    } else {
      join.joinType match {
        case Inner | Cross | RightOuter =>
          val (left, right) = (table(join.left), up(join.right))
          left.beside(right, join.copy(left = left.plan, right = right.plan))
        case other => refuse(join, other.sql)
      }
    }

  /** Whether a FROM clause makes at most one row of each tuple of a relation in it; of `all` of them, just one. */
  def keepsRows(plan: LogicalPlan, relation: LogicalPlan, all: Boolean = false): Boolean = plan match {
    case same if same eq relation => true
    case SubqueryAlias(_, child) => keepsRows(child, relation, all)
    case Filter(_, child) => !all && keepsRows(child, relation, all)
    case Project(_, child) => keepsRows(child, relation, all)
    case _ => false
  }

  def holds(plan: LogicalPlan, relation: LogicalPlan): Boolean = plan.exists(_ eq relation)

  private def refuse(node: LogicalPlan, what: String): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    node.origin,
    "what" -> s"$what between a windowed stream and the SELECT list",
    "hint" -> "Join the stream from the side whose rows are kept, or put the windowed query into a subquery."
  )
}
