package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{Ascending, GreaterThanOrEqual, Literal, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.plan._

/**
 * An answer stream has an order, and a reader of a query's result, or a LIMIT, gets it in that
 * order. Where plain SQL follows that does not look at the order, nothing is sorted.
 */
object DeliverInOrder extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = if (!plan.exists(wantsOrder)) plan
  else if (plan.isStreaming) asked(plan)
  else {
    val limited = plan.transformUp {
      case limit @ LocalLimit(_, child) if holdsAnswer(child) => limit.copy(child = sorted(child))
      case tail @ Tail(_, child) if holdsAnswer(child) => tail.copy(child = sorted(child))
      case offset @ Offset(_, child) if holdsAnswer(child) => offset.copy(child = sorted(child))
    }
    val delivered = if (holdsAnswer(limited)) sorted(limited) else limited
    asked(delivered)
  }

  private def asked(plan: LogicalPlan): LogicalPlan =
    plan.transformUp { case answer: ContinuousAnswer =>
      answer.copy(orderWanted = false, child = shown(answer))
    }

  /** What nothing asks for any more need not be read. A stream keeps its columns: its state was made with them. */
  private def shown(answer: ContinuousAnswer): LogicalPlan =
    if (answer.child.isStreaming) answer.child else Project(answer.visible, timed(answer))

  /** A tuple without a time is a fault also where nothing asks for the time; operators of ours do ask. */
  private def timed(answer: ContinuousAnswer): LogicalPlan = answer.order.time match {
    case Some(time) if requiresTime(answer.child) && !operates(answer.child) =>
      Filter(GreaterThanOrEqual(time.column, Literal(Long.MinValue)), answer.child)
    case _ => answer.child
  }

  private def requiresTime(plan: LogicalPlan): Boolean =
    plan.exists(_.expressions.exists(_.exists(_.isInstanceOf[RequireTime])))

  private def operates(plan: LogicalPlan): Boolean = plan.exists {
    case _: Numbered | _: NumberedWithin | _: SlideAggregate | _: JumpAggregate | _: JumpSelect => true
    case _: Sliced | _: StreamWindow | _: RelationWindow | _: Aggregate | _: Window => true
    case _ => false
  }

  private def wantsOrder(node: LogicalPlan): Boolean = node match {
    case answer: ContinuousAnswer => answer.orderWanted
    case _ => false
  }

  /** Whether rows come straight from an answer that is not sorted yet. */
  private def holdsAnswer(plan: LogicalPlan): Boolean = plan match {
    case _: ContinuousAnswer => true
    case Project(_, child) => holdsAnswer(child)
    case Filter(_, child) => holdsAnswer(child)
    case metrics: CollectMetrics => holdsAnswer(metrics.child)
    case SubqueryAlias(_, child) => holdsAnswer(child)
    case view: View => holdsAnswer(view.child)
    case _ => false
  }

  private def sorted(plan: LogicalPlan): LogicalPlan = StreamOrders.carried(plan) match {
    case Some(stream) =>
      val order = stream.order.columns.map(SortOrder(_, Ascending))
      Project(plan.output, Sort(order, global = true, stream.plan))
    case None => plan
  }
}
