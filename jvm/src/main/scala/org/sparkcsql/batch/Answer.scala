package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.sparkcsql.analyze.{Carrying, EvaluationTime, OrderedStream, TimeAxis}
import org.sparkcsql.plan.{StreamClock, StreamOrder, StreamTime}

/**
 * A block's answer in the making.
 *
 * @param visible the columns the user sees
 * @param time the time of the evaluations
 * @param evaluation what tells one evaluation from another, beside the time
 * @param within the order of the rows inside one evaluation
 * @param clock what tells that the answer is complete up to an instant
 * @param extra hidden columns that a frequency on the answer counts by
 */
private[sparkcsql] final case class Answer(
    plan: LogicalPlan,
    visible: Seq[Attribute],
    time: Option[StreamTime],
    evaluation: Seq[Attribute],
    within: Seq[Attribute],
    extra: Seq[Attribute] = Nil,
    clock: StreamClock = StreamClock.Arrival) {

  def order: StreamOrder = StreamOrder(time, Carrying.distinct(evaluation ++ within))
  def evaluationColumns: Seq[Attribute] = Carrying.distinct(time.map(_.column).toSeq ++ evaluation)
  def hidden: Seq[Attribute] = Carrying.distinct(evaluationColumns ++ within ++ extra)
  def asStream: OrderedStream = OrderedStream(plan, order, clock = clock)

  /** `evaluation_time()` in an expression of this block becomes the hidden column. */
  def timed[E <: Expression](expression: E): E = expression
    .transform { case _: EvaluationTime => TimeAxis.fromNumber(time.get.column, time.get.dataType) }
    .asInstanceOf[E]
}
