package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.analyze.{ArrivalNumber, RequireTime}

/**
 * Whether each reading of a plan gives the same rows in the same partitions and order, whichever
 * columns are read: then it can be looked at first and read afterwards, without being kept in between.
 */
object StableRows {
  def apply(plan: LogicalPlan): Boolean = plan match {
    case relation: LogicalRelation =>
      relation.relation match {
        // Spark decides anew for each reading whether it reads buckets or files
        case files: HadoopFsRelation => files.bucketSpec.isEmpty && readsAllRows(files)
        case _ => false
      }
    case cached: InMemoryRelation => apply(cached.cacheBuilder.logicalPlan)
    case _: Range | _: LocalRelation => true
    case Project(list, child) => list.forall(repeats) && apply(child)
    case Filter(condition, child) => repeats(condition) && apply(child)
    case DropNullTimes(_, child) => apply(child)
    case SubqueryAlias(_, child) => apply(child)
    case view: View => apply(view.child)
    case _ => false
  }

  /** Whether a row that cannot be read fails the query. Otherwise which rows there are depends on the columns. */
  private def readsAllRows(files: HadoopFsRelation): Boolean = {
    val options = CaseInsensitiveMap(files.options)
    def skips(option: String, setting: Boolean) = options.get(option).fold(setting)(_.toBoolean)
    !options.get("mode").exists(_.equalsIgnoreCase("DROPMALFORMED")) &&
    !skips("ignoreCorruptFiles", SQLConf.get.ignoreCorruptFiles) &&
    !skips("ignoreMissingFiles", SQLConf.get.ignoreMissingFiles)
  }

  private def repeats(expression: Expression): Boolean = !expression.exists {
    case _: ArrivalNumber | _: RequireTime => false
    case _: PlanExpression[_] => true
    case other => !other.deterministic && other.children.forall(_.deterministic)
  }
}
