package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Refuses what is parsed but cannot be run yet, before Spark's own rules stumble over it. */
object RefuseUnsupported extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreachWithSubqueries { node =>
      node match {
        case statement: KnownStatement =>
          refuse(node.origin, statement.name, "Run the query itself on tables with spark.sql.")
        case _ =>
      }
    }
    plan
  }

  private def refuse(at: Origin, what: String, hint: String): Nothing =
    CsqlErrors.analysis("CSQL_NOT_SUPPORTED_YET", at, "what" -> what, "hint" -> hint)
}
