package org.sparkcsql.batch

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.sparkcsql.plan.WindowedFunction

/**
 * A GROUP BY taken apart.
 *
 * @param computed the grouping expressions that are no columns yet; they go below the operator
 * @param keys the grouping columns
 * @param functions the aggregates, each once …
 * @param values … and the columns of their results
 * @param list the SELECT list over keys and values; it goes above the operator
 */
private[sparkcsql] final case class GroupedList(
    computed: Seq[Alias],
    keys: Seq[Attribute],
    functions: Seq[WindowedFunction],
    values: Seq[Attribute],
    list: Seq[NamedExpression])

private[sparkcsql] object GroupedList {
  def of(aggregate: Aggregate): GroupedList = {
    val named = aggregate.groupingExpressions.map {
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
    val list = aggregate.aggregateExpressions.map {
      // A column alone in the list keeps its identity, which the operators above refer to.
      case column: Attribute => column
      case item =>
        item
          .mapChildren(_.transformDown {
            case function: AggregateExpression => valueOf(function)
            case other if keys.exists(_._1.semanticEquals(other)) =>
              keys.find(_._1.semanticEquals(other)).get._2
          })
          .asInstanceOf[NamedExpression]
    }
    GroupedList(
      named.flatMap(_._2),
      named.map(_._1),
      found.toSeq.map(f => WindowedFunction(f._1)),
      found.toSeq.map(_._2),
      list)
  }
}
