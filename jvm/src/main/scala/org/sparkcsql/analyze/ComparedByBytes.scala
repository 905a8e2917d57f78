package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.csql.KeyTypes
import org.sparkcsql.errors.CsqlErrors

/** Keys are told apart by their bytes, though equal floating numbers or texts may differ in them. */
private[sparkcsql] object ComparedByBytes {

  /** With 0.0 for -0.0. */
  def normalized(key: Expression): Expression = KeyTypes.normalized(key)

  /** A collation may take different texts for equal, and equal maps may differ in the order of their entries. */
  def require(keys: Seq[Expression], at: Origin): Unit = keys.foreach { key =>
    def refuse(instead: String) = CsqlErrors.analysis(
      "CSQL_NOT_SUPPORTED_YET",
      if (key.origin.line.isDefined) key.origin else at,
      "what" -> s"Telling values of ${key.sql} apart, which has the type ${key.dataType.sql},",
      "hint" -> s"Take another column instead, as in $instead."
    )
    if (!UnsafeRowUtils.isBinaryStable(key.dataType)) refuse(s"LOWER(${key.sql}) COLLATE UTF8_BINARY")
    // equal ones may hold their entries in different orders
    if (KeyTypes.holdMaps(key.dataType))
      refuse(s"sort_array(map_entries(${key.sql}))")
  }
}

/** Columns that tell substreams or rows apart; what must be normalised becomes a column of its own. */
private[sparkcsql] final class KeyColumns(columns: Seq[Attribute]) {
  private val instead: Seq[(ExprId, Alias)] = Carrying.distinct(columns).flatMap { column =>
    val normalized = ComparedByBytes.normalized(column)
    if (normalized eq column) None else Some(column.exprId -> Alias(normalized, column.name)())
  }

  def added: Seq[Alias] = instead.map(_._2)

  /** What to compare instead of these. */
  def apply(of: Seq[Attribute]): Seq[Attribute] =
    of.map(column => instead.find(_._1 == column.exprId).fold(column)(_._2.toAttribute))

  def over(plan: LogicalPlan): LogicalPlan = if (added.isEmpty) plan else Project(plan.output ++ added, plan)
}
