package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.batch.Expressions
import org.sparkcsql.plan.{StreamOrder, StreamTime}

/**
 * The operators for the calls of a block, one over the other: one for each PARTITION BY. Those with
 * ACTIVE EXPIRATION come last, because the row of an expiry has all other values of its tuple.
 *
 * If tuples expire from windows over several PARTITION BY, the row of an expiry passes the operators
 * above by. What those would have said of its tuple is computed before, as if nothing expired.
 */
private[analyze] final class OverSteps(calls: Seq[OverCall], rows: OrderedStream) {
  private def timeType = rows.time.get.dataType
  private def key(call: OverCall): Seq[ExprId] = call.partitionBy.map(_.exprId).distinct

  private val (active, others) = {
    val groups = calls.map(key).distinct.map(k => calls.filter(call => key(call) == k))
    groups.partition(_.exists(_.isActive))
  }

  private val early = others.zipWithIndex.map { case (group, i) =>
    OverStep(group, timeType, isLast = active.isEmpty && i == others.size - 1)
  }
  private val atArrival = active.drop(1).map { group =>
    OverStep(group.map(call => call.copy(tail = None)), timeType, isLast = true)
  }
  private val expiring = active.zipWithIndex.map { case (group, i) =>
    OverStep(group, timeType, isLast = true, isPassed = i > 0)
  }

  val all: Seq[OverStep] = early ++ atArrival ++ expiring
  private val expiries: Seq[Expiry] = expiring.flatMap(_.expiry)

  /** The rows of the answer, before the SELECT list. */
  def over(described: OverStep => String): OrderedStream = {
    val arrived = (early ++ atArrival).foldLeft(rows)((below, step) =>
      step.over(below, below.plan, None, described(step)))
    val marks = early.flatMap(_.mark)
    val kept = if (marks.isEmpty) arrived.plan else Filter(marks.reduce[Expression](And(_, _)), arrived.plan)
    expiring.zipWithIndex.foldLeft(arrived.copy(plan = kept)) { case (below, (step, i)) =>
      val before = expiries.take(i)
      val arrives = before.lastOption.map(expiry => Alias(expiry.isArrival, "arrives")())
      val ordered = below.copy(order = order(before))
      val plan = Expressions.withColumns(below.plan, arrives.toSeq)
      step.over(ordered, plan, arrives.map(_.toAttribute), described(step))
    }
  }

  /** Expiries of an instant come after its arrivals, in the order of the tuples. */
  private def order(before: Seq[Expiry]): StreamOrder = before.lastOption.fold(rows.order) { last =>
    StreamOrder(
      Some(StreamTime(last.instant, timeType)),
      (last.phase +: rows.order.columns) ++ before.reverse.map(_.window))
  }

  def order: StreamOrder = order(expiries)

  /** The values of the calls, by the identity that the query knows them by. */
  def results: Map[ExprId, Expression] = {
    val passing = expiring.drop(1).zip(atArrival).zip(expiries).flatMap { case ((step, arrived), before) =>
      val own = arrived.results.toMap
      step.results.map { case (id, value) => id -> If(before.isArrival, value, own(id)) }
    }
    (early ++ expiring.take(1)).flatMap(_.results).toMap ++ passing
  }
}
