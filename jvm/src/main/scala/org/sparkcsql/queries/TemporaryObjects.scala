package org.sparkcsql.queries

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{UnresolvedFunction, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression, VariableReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, View}
import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.aggregates.AggregateCatalog

/** What a query uses that lives in one session only, and so cannot outlive it. */
private[queries] final class TemporaryObjects(session: SparkSession) {

  /** The first of them in a query, in words. */
  def find(parsed: LogicalPlan, analyzed: LogicalPlan): Option[String] =
    ofPlan(analyzed) {
      case view: View if view.isTempView => s"the temporary view ${view.desc.identifier.table}"
    } {
      case variable: VariableReference => s"the session variable ${variable.identifier.name}"
    }.orElse(ofPlan(parsed) {
      case call: UnresolvedTableValuedFunction if isTemporary(call.name) => functionText(call.name)
    } {
      case call: UnresolvedFunction if isTemporary(call.nameParts) => functionText(call.nameParts)
      case call: UnresolvedFunction if isAggregate(call.nameParts) =>
        s"the temporary aggregate ${call.nameParts.last}"
    })

  private def functionText(name: Seq[String]) = s"the temporary function ${name.last}"

  private def isAggregate(name: Seq[String]): Boolean =
    name.length == 1 && new AggregateCatalog(session).temporary(name.head).all.nonEmpty

  private def isTemporary(name: Seq[String]): Boolean = name match {
    case Seq(function) => session.sessionState.catalog.isTemporaryFunction(FunctionIdentifier(function))
    case _ => name.dropRight(1).lastOption.exists(_.equalsIgnoreCase("session"))
  }

  private def ofPlan(plan: LogicalPlan)(node: PartialFunction[LogicalPlan, String])(
      inside: PartialFunction[Expression, String]): Option[String] = {
    val found = plan.collectFirst(node)
    found.orElse(
      plan
        .collect { case n => n.expressions }
        .flatten
        .flatMap(_.collect { case e => e })
        .iterator
        .flatMap { expression =>
          inside.lift(expression).orElse(expression match {
            case subquery: SubqueryExpression => ofPlan(subquery.plan)(node)(inside)
            case _ => None
          })
        }
        .nextOption())
  }
}
