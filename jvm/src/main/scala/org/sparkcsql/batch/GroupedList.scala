package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.types.ArrayType
import org.sparkcsql.aggregates.{Returning, UserAggregate}
import org.sparkcsql.analyze.ComparedByBytes
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.WindowedFunction

/**
 * A GROUP BY taken apart.
 *
 * @param computed what must be columns below the operator: grouping expressions, and what aggregates ask subqueries
 * @param keys the grouping columns
 * @param functions the aggregates, each once …
 * @param values … and the columns of their results
 * @param list the SELECT list over keys and values; it goes above the operator
 * @param returning what makes rows of the lists that aggregates of users return, between operator and list
 */
private[sparkcsql] final case class GroupedList(
    computed: Seq[Alias],
    keys: Seq[Attribute],
    functions: Seq[WindowedFunction],
    values: Seq[Attribute],
    list: Seq[NamedExpression],
    returning: Option[Returning]) {

  /** The operator's rows, as the SELECT list sees them. */
  def returned(operator: LogicalPlan): LogicalPlan = returning.fold(operator) { rows =>
    val lists = functions.zip(values).collect { case (f, value) if UserAggregate.in(f) => value }
    rows.over(lists, operator)
  }

  /** The order of the rows of one group. */
  def places: Seq[Attribute] = returning.map(_.place).toSeq
}

private[sparkcsql] object GroupedList {

  /** For operators that know Spark's functions only. */
  def ofSparks(aggregate: Aggregate): GroupedList = {
    aggregate.aggregateExpressions.flatMap(UserAggregate.of(_)).foreach { call =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        call.origin,
        "what" -> s"The aggregate ${call.name} over several windows, or under ISTREAM, DSTREAM or RSTREAM",
        "hint" -> "Call it in a subquery over one window, and use its answer."
      )
    }
    of(aggregate)
  }

  def of(aggregate: Aggregate): GroupedList = {
    ComparedByBytes.require(aggregate.groupingExpressions, aggregate.origin)
    refuseSessions(aggregate)
    val named = aggregate.groupingExpressions.map(ComparedByBytes.normalized).map {
      case column: Attribute => column -> None
      case expression =>
        val alias = Alias(expression, "group")()
        alias.toAttribute -> Some(alias)
    }
    val keys = aggregate.groupingExpressions.zip(named.map(_._1))
    val found = new ArrayBuffer[(AggregateExpression, Attribute)]
    def valueOf(function: AggregateExpression): Attribute =
      found.find(f => function.deterministic && f._1.semanticEquals(function)).map(_._2).getOrElse {
        val value = AttributeReference("value", function.dataType, function.nullable)()
        found += function -> value
        value
      }
    aggregate.aggregateExpressions.foreach(_.foreach {
      case call: AggregateExpression if call.isDistinct =>
        ComparedByBytes.require(call.aggregateFunction.children, call.origin)
      case _ =>
    })
    def isCall(item: (AggregateExpression, Attribute)): Boolean = UserAggregate.in(item._1)
    val list = aggregate.aggregateExpressions.map {
      // A column alone in the list keeps its identity, which the operators above refer to.
      case column: Attribute =>
        keys.find(_._1.semanticEquals(column)).map(_._2).filter(_.exprId != column.exprId)
          .fold[NamedExpression](column)(key => Alias(key, column.name)(column.exprId, column.qualifier))
      case item =>
        item
          .mapChildren(_.transformDown {
            case function: AggregateExpression => valueOf(function)
            case other if keys.exists(_._1.semanticEquals(other)) =>
              keys.find(_._1.semanticEquals(other)).get._2
          })
          .asInstanceOf[NamedExpression]
    }
    val calls = found.toSeq.filter(isCall)
    calls.foreach(c => UserAggregate.of(c._1).foreach(_.checkTypes()))
    val returning = Returning.of(calls.flatMap(c => UserAggregate.of(c._1)))
    // the list sees single rows, the operator gives lists of them
    val single = AttributeMap(calls.map(_._2).zip(returning.toSeq.flatMap(_.values)))
    val (asked, functions) = found.toSeq.map(f => withoutSubqueries(f._1)).unzip
    GroupedList(
      named.flatMap(_._2) ++ asked.flatten,
      named.map(_._1),
      functions.map(f => WindowedFunction(UserAggregate.rowsOf(f))),
      found.toSeq.map(f => if (isCall(f)) f._2.withDataType(ArrayType(f._2.dataType)) else f._2),
      if (calls.isEmpty) list
      else
        list.map(
          _.transform { case a: Attribute => single.getOrElse(a, a) }.asInstanceOf[NamedExpression]),
      returning
    )
  }

  /** Spark answers subqueries only in its own operators. */
  private def withoutSubqueries(function: AggregateExpression): (Seq[Alias], AggregateExpression) = {
    val asked = new ArrayBuffer[Alias]
    def column(argument: Expression): Expression =
      if (!SubqueryExpression.hasSubquery(argument)) argument
      else {
        asked += Alias(argument, "asked")()
        asked.last.toAttribute
      }
    val arguments = function.aggregateFunction.mapChildren(column).asInstanceOf[AggregateFunction]
    val only = function.copy(aggregateFunction = arguments, filter = function.filter.map(column))
    (asked.toSeq, if (asked.isEmpty) function else only)
  }

  /** Sessions are merged by Spark's own aggregation, over all rows; those of a window would stay apart. */
  private def refuseSessions(aggregate: Aggregate): Unit = aggregate.groupingExpressions.foreach {
    case column: NamedExpression if column.metadata.contains(SessionWindow.marker) =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        aggregate.origin,
        "what" -> "GROUP BY session_window(…) over a window of a stream",
        "hint" -> "Put the windowed query into a subquery, and group its answer by sessions."
      )
    case _ =>
  }
}
