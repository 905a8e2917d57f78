package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.errors.CsqlErrors

/**
 * OVER without ORDER BY on a declared stream means the stream's own order. Spark would answer it as
 * if there were none, so it is refused until it runs with its own meaning.
 */
object RefuseUnorderedOver extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case window: Window if window.orderSpec.isEmpty && readsStream(window.child) =>
        CsqlErrors.analysis(
          "CSQL_NOT_SUPPORTED_YET",
          window.windowExpressions.headOption.fold(window.origin)(_.origin),
          "what" -> "OVER without ORDER BY on a declared stream",
          "hint" -> "Write ORDER BY with the stream's time column inside OVER."
        )
      case _ =>
    }
    plan
  }

  private def readsStream(plan: LogicalPlan): Boolean = plan match {
    case view: View => DeclaredStream.of(view).isDefined
    case SubqueryAlias(_, child) => !Block.isQuery(child) && readsStream(child)
    case _: Project | _: Filter | _: Join | _: Generate | _: Window => plan.children.exists(readsStream)
    case _ => false
  }
}
