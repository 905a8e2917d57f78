package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.sparkcsql.plan.WindowedFunction

/**
 * A GROUP BY whose grouping expressions are columns.
 *
 * @param computed the grouping expressions that are no columns yet; they go below the operator
 * @param keys the grouping columns
 * @param list the SELECT list over them
 */
private[batch] final case class GroupedList(computed: Seq[Alias], keys: Seq[Attribute], list: Seq[NamedExpression]) {
  def functions: Seq[WindowedFunction] = list.flatMap(_.collect { case f: WindowedFunction => f })
}

private[batch] object GroupedList {
  def of(aggregate: Aggregate): GroupedList = {
    val named = aggregate.groupingExpressions.map {
      case column: Attribute => column -> None
      case expression =>
        val alias = Alias(expression, "group")()
        alias.toAttribute -> Some(alias)
    }
    val keys = aggregate.groupingExpressions.zip(named.map(_._1))
    val list = aggregate.aggregateExpressions.map { item =>
      // A column alone in the list must keep its identity, which others above refer to.
      val replaced = item match {
        case column: Attribute => column
        case other =>
          other.mapChildren(replace(_, keys)).asInstanceOf[NamedExpression]
      }
      replaced
    }
    GroupedList(named.flatMap(_._2), named.map(_._1), list)
  }

  private def replace(expression: Expression, keys: Seq[(Expression, Attribute)]): Expression =
    expression.transformDown {
      case aggregate: AggregateExpression => WindowedFunction(aggregate)
      case other if keys.exists(_._1.semanticEquals(other)) => keys.find(_._1.semanticEquals(other)).get._2
    }
}
