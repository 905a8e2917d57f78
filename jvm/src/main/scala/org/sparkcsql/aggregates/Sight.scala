package org.sparkcsql.aggregates

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/** What is in sight of an expression: names of columns, and of the tables that they can be qualified with. */
private[aggregates] final case class Sight(columns: Set[String], tables: Set[String]) {
  def and(other: Sight): Sight = Sight(columns ++ other.columns, tables ++ other.tables)
}

private[aggregates] object Sight {
  val nothing: Sight = Sight(Set.empty, Set.empty)

  /** What the expressions of a node see. Above a SELECT list that is also what stands below it. */
  def of(node: LogicalPlan): Sight = node match {
    case _: Project | _: Aggregate => seenIn(node.children)
    case _ => node.children.map(below).foldLeft(seenIn(node.children))(_.and(_))
  }

  private def seenIn(plans: Seq[LogicalPlan]): Sight =
    Sight(plans.flatMap(columnsOf).map(lower).toSet, plans.flatMap(tablesOf).map(lower).toSet)

  private def below(node: LogicalPlan): Sight = node match {
    case _: SubqueryAlias => nothing
    case _: Project | _: Aggregate => seenIn(node.children)
    case unary: UnaryNode => below(unary.child)
    case _ => nothing
  }

  /** The columns that a part of FROM gives; those inside of a query in FROM are its own. */
  private def columnsOf(plan: LogicalPlan): Seq[String] = plan match {
    case relation: LocalTableRelation => relation.output.map(_.name)
    case constant: LocalRelation => constant.output.map(_.name)
    case Project(list, child) => list.flatMap(named(_, child))
    case aggregate: Aggregate => aggregate.aggregateExpressions.flatMap(named(_, aggregate.child))
    case aliases: UnresolvedSubqueryColumnAliases => aliases.outputColumnNames
    case union: Union => columnsOf(union.children.head)
    case other => other.children.flatMap(columnsOf)
  }

  private def named(item: Expression, from: LogicalPlan): Seq[String] = item match {
    case alias: Alias => Seq(alias.name)
    case column: UnresolvedAttribute => Seq(column.nameParts.last)
    case _: Star => columnsOf(from)
    case _ => Nil
  }

  private def tablesOf(plan: LogicalPlan): Seq[String] = plan match {
    case SubqueryAlias(alias, _) => Seq(alias.name)
    case other => other.children.flatMap(tablesOf)
  }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
