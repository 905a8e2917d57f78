package org.sparkcsql.aggregates

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{AggregateDefinition, WindowedRelation}

/** Calls of aggregates that users have written, before Spark looks functions up among its own. */
final case class ResolveAggregateCalls(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val mine = session.asInstanceOf[classic.SparkSession]
  private lazy val catalog = new AggregateCatalog(mine)

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!AggregateCompiler.isCompiling && catalog.isEmpty) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        plan.transformWithSubqueries { case node => node.mapExpressions(resolve(_, node)) }
      }

  private def resolve(expression: Expression, node: LogicalPlan): Expression = expression.transformDown {
    case window @ WindowExpression(call: UnresolvedFunction, _) =>
      found(call).fold[Expression](window)(versions => window.copy(windowFunction = made(call, versions)))
    case call: UnresolvedFunction =>
      found(call).filterNot(isSparks(_, call, node)).fold[Expression](call)(made(call, _))
  }

  private def found(call: UnresolvedFunction): Option[AggregateVersions] =
    Some(AggregateCompiler.called(catalog, call.nameParts, call.origin)).filter(_.all.nonEmpty)

  /** A name that has only a version for windows leaves the tables to the function that it shadows. */
  private def isSparks(versions: AggregateVersions, call: UnresolvedFunction, node: LogicalPlan): Boolean =
    versions.base.isEmpty && catalog.isSparks(call.nameParts.last) && !isWindowed(node)

  /** Whether the FROM of a node's block has a window; the windows of queries in there are their own. */
  private def isWindowed(node: LogicalPlan): Boolean = node match {
    case _: Project | _: Aggregate => node.children.exists(hasWindow)
    case above: UnaryNode => isWindowed(above.child)
    case _ => false
  }

  private def hasWindow(from: LogicalPlan): Boolean = from match {
    case _: WindowedRelation => true
    case _: Project | _: Aggregate => false
    case other => other.children.exists(hasWindow)
  }

  private def made(call: UnresolvedFunction, versions: AggregateVersions): Expression = {
    val any = versions.all.head
    def refuse(reason: String): Nothing =
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_CALL",
        call.origin,
        "name" -> call.nameParts.mkString("."),
        "reason" -> reason)
    if (call.isDistinct) refuse("DISTINCT is for functions of Spark's.")
    if (call.filter.isDefined) refuse("FILTER is for functions of Spark's; use WHERE.")
    if (call.orderingWithinGroup.nonEmpty || call.ignoreNulls.isDefined)
      refuse("it takes arguments and nothing else.")
    if (call.arguments.length != any.arguments.length)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_TYPE",
        call.origin,
        "what" -> s"The arguments of ${any.signature}",
        "wanted" -> s"${any.arguments.length} values",
        "found" -> call.arguments.length.toString
      )
    val arguments = inOrder(call.arguments, any, refuse)
    val programs = new AggregateCompiler(mine).programs(versions, call.origin)
    CurrentOrigin.withOrigin(call.origin) {
      AggregateExpression(
        UserAggregate(any.name.parts.last, programs, arguments),
        Complete,
        isDistinct = false)
    }
  }

  /** Arguments with names, `total(n => x)`, stand behind those without, in any order. */
  private def inOrder(
      written: Seq[Expression],
      called: AggregateDefinition,
      refuse: String => Nothing): Seq[Expression] = {
    val (placed, rest) = written.span(!_.isInstanceOf[NamedArgumentExpression])
    val named = rest.map {
      case argument: NamedArgumentExpression => argument
      case _ => refuse("arguments without a name stand before those with one.")
    }
    placed ++ called.arguments.fieldNames.drop(placed.length).map { name =>
      named.filter(_.key.equalsIgnoreCase(name)) match {
        case Seq(once) => once.value
        case _ => refuse(s"$name must be given once. It is ${called.signature}.")
      }
    }
  }
}
