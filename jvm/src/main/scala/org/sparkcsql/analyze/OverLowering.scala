package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.Metadata
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._
import org.sparkcsql.stream.StreamLowering

/**
 * From a chain of window functions to the plan of its answer: one operator for each PARTITION BY,
 * one over the other. Windows are made of the rows that FROM and WHERE leave, in the order of the stream.
 */
private[analyze] object OverLowering {
  def apply(written: OverChain): LogicalPlan = {
    refuseMixed(written.own)
    val ordered = OverOrder.of(written)
    val chain = written.copy(own = written.own.map(_.withSparks(ordered.time.get.dataType)))
    checkEvaluationTime(chain, ordered)
    val (timed, others) = chain.columns.partition(_.exists(_.isInstanceOf[EvaluationTime]))
    val untimed = Carrying.append(others, timed.flatMap(_.references))
    val expires = chain.own.exists(_.isActive)
    val from = Carrying.through(
      Project(untimed.map(eventTime(_, ordered, expires)), chain.from),
      chain.relation,
      ordered.plan,
      ordered.order.columns,
      ordered.order.columns,
      orderTables = true
    )
    val rowOrder = from.order.filterNot(c => ordered.order.columns.exists(_.exprId == c.exprId))
    val whole = ordered.order.copy(ties = ordered.order.ties ++ rowOrder)
    val steps = new OverSteps(chain.own, beside(chain.plain, ordered.copy(plan = from.plan, order = whole)))
    val operated = steps.over(described(chain, _))
    val returned = OverReturns.of(chain.own, steps, operated.plan)
    val (order, values) = (returned.order, returned.values)
    val list = chain.output.map { column =>
      timed.find(_.exprId == column.exprId).map(atTime(_, order))
        .orElse(values.get(column.exprId).map(named(_, column, chain)))
        .getOrElse(returned.plan.output.find(_.exprId == column.exprId).getOrElse(column))
    }
    val defaults = OverDefaults.of(ordered, chain)
    ContinuousAnswer(
      BlockSummary(algebra(chain, steps), defaults),
      order,
      list.map(_.toAttribute),
      Project(Carrying.append(list, order.columns), returned.plan),
      operated.clock)
  }

  /** Tuples that a SLIDE drops have no row that could expire. */
  private def refuseMixed(calls: Seq[OverCall]): Unit =
    for (_ <- calls.find(_.slides); active <- calls.find(_.isActive))
      CsqlErrors.analysis("CSQL_OVER_MIXED", active.at)

  private def checkEvaluationTime(chain: OverChain, stream: OrderedStream): Unit =
    if (stream.time.isEmpty)
      chain.columns.foreach(_.foreach {
        case time: EvaluationTime =>
          CsqlErrors.analysis("CSQL_EVALUATION_TIME", time.origin, "reason" -> "the stream has no time.")
        case _ =>
      })

  /**
   * The time column carries the watermark's mark, for what follows. With expiries it must not: the
   * tuples that expire are older than what has been answered.
   */
  private def eventTime(item: NamedExpression, stream: OrderedStream, expires: Boolean): NamedExpression =
    item match {
      case column: Attribute =>
        val known = stream.plan.output.find(_.exprId == column.exprId).getOrElse(column)
        if (expires && known.metadata.contains(EventTimeWatermark.delayKey))
          known.withMetadata(Metadata.empty)
        else known
      case other => other
    }

  private def atTime(item: NamedExpression, order: StreamOrder): NamedExpression = item.transform {
    case _: EvaluationTime => TimeAxis.fromNumber(order.time.get.column, order.time.get.dataType)
  }.asInstanceOf[NamedExpression]

  /** Plain window functions look at all rows, also at those that a SLIDE will drop. */
  private def beside(plain: Seq[Window], stream: OrderedStream): OrderedStream =
    if (plain.isEmpty) stream
    else {
      val windows = plain.foldLeft(stream.plan)((child, window) => window.copy(child = child))
      if (!windows.isStreaming) stream.copy(plan = windows)
      else StreamLowering.above(stream.copy(plan = StreamingWindowFunctions(windows)))
    }

  private def named(value: Expression, column: Attribute, chain: OverChain): NamedExpression = {
    val item = chain.own.map(_.item).find(_.exprId == column.exprId).get
    Alias(value, item.name)(item.exprId, item.qualifier, item.explicitMetadata)
  }

  /** What the state of an operator depends on. */
  private def described(chain: OverChain, step: OverStep): String = {
    val below = chain.from.collect {
      case node if !Carrying.holds(chain.relation, node) => node.expressions.map(_.sql).mkString(", ")
    }
    (s"${step.told}; ${Algebra.name(chain.relation)}" +: below.filter(_.nonEmpty)).mkString("; ")
  }

  private def algebra(chain: OverChain, steps: OverSteps): String =
    steps.all.foldLeft(Algebra.name(chain.relation))((inner, step) => s"OVER[${step.told}]($inner)")
}
