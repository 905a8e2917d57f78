package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, View}
import org.sparkcsql.catalog.DeclaredStream

/**
 * The temporary views that a query reads. Spark finds them in the plan: a view may only see those that stood in the
 * plan it was created with, and one that is stored may not read any. An answer takes the views of windowed
 * queries apart, so it keeps their names.
 */
private[analyze] object TemporaryViews {
  def kept(query: LogicalPlan, answer: LogicalPlan): LogicalPlan = {
    val there = of(answer).map(_.desc.identifier).toSet
    val missing = of(query).filterNot(view => there(view.desc.identifier))
    missing.distinctBy(_.desc.identifier).foldLeft(answer)((plan, view) => view.copy(child = plan))
  }

  private def of(plan: LogicalPlan): Seq[View] = plan.collectWithSubqueries {
    case view: View if view.isTempView && DeclaredStream.of(view).isEmpty => view
  }
}
