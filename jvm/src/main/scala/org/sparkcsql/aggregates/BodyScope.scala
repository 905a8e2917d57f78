package org.sparkcsql.aggregates

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.Cross
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.catalyst.util.{EvaluateUnresolvedInlineTable, QuotingUtils}
import org.apache.spark.sql.types.StringType
import org.sparkcsql.errors.CsqlErrors

/**
 * What the names in a statement mean that Spark's analyser does not know: local tables, arguments,
 * `oldest()`. A column of a table in FROM, of the query or of one around it, hides an argument.
 */
private[aggregates] final class BodyScope(names: BodyNames) {

  /** @param condition what follows VALUES behind WHERE */
  def query(plan: LogicalPlan, condition: Option[Expression]): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer(arguments(
      tables(plan, condition),
      Sight.nothing))

  private def tables(plan: LogicalPlan, condition: Option[Expression]): LogicalPlan =
    plan.transformUp {
      case relation: UnresolvedRelation =>
        val name = relation.multipartIdentifier.mkString(".")
        val table = names.table(name).getOrElse(unknownTable(name, relation.origin))
        SubqueryAlias(names.tables(table)._1, names.relation(table))
      case inline: UnresolvedInlineTable => rows(inline, condition)
      case constant: LocalRelation => condition.fold[LogicalPlan](constant)(onlyIf(_, constant))
    }.transformUp { case node =>
      node.mapExpressions(_.transformDown {
        case subquery: SubqueryExpression => subquery.withNewPlan(tables(subquery.plan, None))
        case UnresolvedExtractValue(call: UnresolvedFunction, Literal(column, StringType))
            if isOldest(call) =>
          oldest(Some(column.toString), call.origin)
        case call: UnresolvedFunction if isOldest(call) => oldest(None, call.origin)
      })
    }

  def unknownTable(name: String, at: Origin): Nothing = CsqlErrors.analysis(
    "CSQL_AGGREGATE_TABLE",
    at,
    "name" -> name,
    "tables" -> (if (names.tables.isEmpty) "none" else names.tables.map(_._1).mkString(", ")))

  /** A condition that does not see the rows it stands for. */
  private def onlyIf(condition: Expression, rows: LogicalPlan): LogicalPlan =
    Join(rows, Filter(condition, OneRowRelation()), Cross, None, JoinHint.NONE)

  /** VALUES may hold arguments, so its rows are queries. */
  private def rows(inline: UnresolvedInlineTable, condition: Option[Expression]): LogicalPlan =
    CurrentOrigin.withOrigin(inline.origin) {
      EvaluateUnresolvedInlineTable.validateInputDimension(inline)
      val queries = inline.rows.map(row =>
        Project(row.zip(inline.names).map { case (value, name) => Alias(value, name)() }, OneRowRelation()))
      val all: LogicalPlan = if (queries.length == 1) queries.head else Union(queries)
      condition.fold(all)(onlyIf(_, all))
    }

  private def isOldest(call: UnresolvedFunction): Boolean =
    names.window.isDefined && call.arguments.isEmpty &&
      call.nameParts.length == 1 && call.nameParts.head.equalsIgnoreCase("oldest")

  private def oldest(column: Option[String], at: Origin): Expression = column match {
    case Some(name) =>
      val found = names.oldest.find(_.name.equalsIgnoreCase(name)).getOrElse {
        CsqlErrors.analysis(
          "CSQL_COLUMN_NOT_FOUND",
          at,
          "name" -> s"oldest().$name",
          "suggestions" -> names.oldest.map(_.name).mkString(", "))
      }
      BodyValue(found)
    case None if names.oldest.length == 1 => BodyValue(names.oldest.head)
    case None =>
      CreateNamedStruct(names.oldest.flatMap(c => Seq(Literal(c.name), BodyValue(c))))
  }

  private def arguments(plan: LogicalPlan, outer: Sight): LogicalPlan = {
    val sight = outer.and(Sight.of(plan))
    def argument(name: UnresolvedAttribute): Option[Expression] = {
      val first = lower(name.nameParts.head)
      if (sight.columns(first) || (name.nameParts.length > 1 && sight.tables(first))) None
      else {
        val found = names.argument(first)
        if (found.isEmpty && sight.columns.isEmpty && names.arguments.nonEmpty && !isFunction(name))
          unknown(name)
        CurrentOrigin.withOrigin(name.origin) {
          found.map(argument =>
            name.nameParts.tail.foldLeft[Expression](BodyValue(argument))((value, field) =>
              UnresolvedExtractValue(value, Literal(field))))
        }
      }
    }
    plan
      .mapExpressions {
        case name: UnresolvedAttribute if isListed(name, plan) =>
          argument(name).fold[Expression](name)(Alias(_, name.nameParts.last)())
        case expression =>
          expression.transformDown {
            case name: UnresolvedAttribute => argument(name).getOrElse(name)
            case subquery: SubqueryExpression => subquery.withNewPlan(arguments(subquery.plan, sight))
          }
      }
      .mapChildren(arguments(_, outer))
  }

  /** Whether an expression is an element of a SELECT list, which needs a name. */
  private def isListed(expression: Expression, plan: LogicalPlan): Boolean = plan match {
    case Project(list, _) => list.exists(_ eq expression)
    case aggregate: Aggregate => aggregate.aggregateExpressions.exists(_ eq expression)
    case _ => false
  }

  /** Whether Spark takes a name for a call without parentheses, as it does for `current_date`. */
  private def isFunction(name: UnresolvedAttribute): Boolean =
    LiteralFunctionResolution.resolve(name.nameParts).isDefined

  /** Where there is no table, Spark could propose nothing. */
  private def unknown(name: UnresolvedAttribute): Nothing = throw new AnalysisException(
    errorClass = "UNRESOLVED_COLUMN.WITH_SUGGESTION",
    messageParameters = Map(
      "objectName" -> QuotingUtils.quoteIdentifier(name.nameParts.head),
      "proposal" -> names.arguments.map(a => QuotingUtils.quoteIdentifier(a.name)).mkString(", ")
    ),
    origin = name.origin
  )

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
