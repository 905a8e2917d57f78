package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.errors.CsqlErrors

/** The one order that all windows of a block have: what ORDER BY says, or that of the stream. */
private[analyze] object OverOrder {
  def of(chain: OverChain): OrderedStream = {
    val (calls, relation) = (chain.own, chain.relation)
    val declared = StreamOrders.declaredColumns(relation)
    val orders = calls.map(call => columns(call, declared).map(_.map(_.exprId)) -> call)
    orders.tail.find(_._1 != orders.head._1).foreach { case (_, other) =>
      refuse(other, "All windows of ours in one query have one order.")
    }
    val chosen = columns(calls.head, declared)
    val stream = chosen.fold(StreamOrders.of(relation, None)) { columns =>
      columns.find(c => !relation.outputSet.contains(c)).foreach { c =>
        refuse(calls.head, s"${written(c, chain)} is no column of the stream.")
      }
      StreamOrders.by(relation, columns, calls.head.at)
    }
    calls.find(_.needsTime).foreach(call => StreamOrders.requireTime(stream, relation, call.at))
    stream
  }

  /** The columns of ORDER BY, or none where the stream's own order is meant: its first columns mean all of them. */
  private def columns(call: OverCall, declared: Seq[Attribute]): Option[Seq[Attribute]] = {
    val written = call.orderBy.map {
      case SortOrder(column: Attribute, Ascending, NullsFirst, _) => column
      case other => refuse(call, s"A stream cannot be ordered by ${other.sql}.")
    }
    if (written.map(_.exprId) == declared.take(written.size).map(_.exprId)) None else Some(written)
  }

  /** Spark puts an expression of ORDER BY into a column below the windows. */
  private def written(column: Attribute, chain: OverChain): String =
    chain.columns.collectFirst {
      case made: Alias if made.exprId == column.exprId => made.child.sql
    }.getOrElse(column.name)

  private def refuse(call: OverCall, reason: String): Nothing =
    CsqlErrors.analysis("CSQL_OVER_ORDER", call.at, "reason" -> reason)
}
