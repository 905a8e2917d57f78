package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{BooleanType, LongType, Metadata}
import org.sparkcsql.batch.WindowAggregates
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._
import org.sparkcsql.stream.{Fingerprint, StreamLowering, Way}

/**
 * From a chain of window functions to the plan of its answer: one operator for each PARTITION BY,
 * one over the other. Windows are made of the rows that FROM and WHERE leave, in the order of the stream.
 */
private[analyze] object OverLowering {
  def apply(chain: OverChain): LogicalPlan = {
    refuseMixed(chain.own)
    val ordered = OverOrder.of(chain.own, chain.relation)
    checkEvaluationTime(chain, ordered)
    val (timed, untimed) = chain.columns.partition(_.exists(_.isInstanceOf[EvaluationTime]))
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
    val rows = beside(chain.plain, ordered.copy(plan = from.plan))
    val steps = stepsOf(chain.own, ordered)
    val operated = steps.foldLeft(rows)((below, step) => step.over(below, rowOrder, described(chain, step)))
    val marks = steps.flatMap(_.mark)
    val kept =
      if (marks.isEmpty) operated.plan else Filter(marks.reduce[Expression](And(_, _)), operated.plan)
    val order = orderOf(ordered, rowOrder, steps.flatMap(_.expiry).headOption)
    val values = steps.flatMap(_.results).toMap
    val list = chain.output.map { column =>
      timed.find(_.exprId == column.exprId).map(atTime(_, order)).orElse(values.get(column.exprId)).getOrElse(
        operated.plan.output.find(_.exprId == column.exprId).getOrElse(column))
    }
    val defaults = OverDefaults.of(ordered, chain)
    ContinuousAnswer(
      BlockSummary(algebra(chain, steps), defaults),
      order,
      list.map(_.toAttribute),
      Project(Carrying.append(list, order.columns), kept),
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

  /** The calls of each PARTITION BY. Those with ACTIVE EXPIRATION come last: what expires then has all other values. */
  private def stepsOf(calls: Seq[OverCall], stream: OrderedStream): Seq[OverStep] = {
    val keys = calls.map(key).distinct
    val groups = keys.map(k => calls.filter(call => key(call) == k))
    val (active, others) = groups.partition(_.exists(_.isActive))
    active.drop(1).foreach { second =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        second.find(_.isActive).get.at,
        "what" -> "ACTIVE EXPIRATION over two PARTITION BY in one query",
        "hint" -> "Write one query for each PARTITION BY, and unite them with UNION ALL."
      )
    }
    val inOrder = others ++ active
    inOrder.zipWithIndex.map { case (group, i) => OverStep(group, stream, isLast = i == inOrder.size - 1) }
  }

  private def key(call: OverCall): Seq[ExprId] = call.partitionBy.map(_.exprId).distinct

  /** Expiries of an instant come after its arrivals, in the order of the tuples. */
  private def orderOf(
      stream: OrderedStream,
      rowOrder: Seq[Attribute],
      expiry: Option[Expiry]): StreamOrder = expiry match {
    case None => StreamOrder(stream.time, stream.order.ties ++ rowOrder)
    case Some(Expiry(instant, phase, window)) =>
      StreamOrder(
        Some(StreamTime(instant, stream.time.get.dataType)),
        (phase +: stream.order.columns) ++ rowOrder :+ window)
  }

  /** What the state of an operator depends on. */
  private def described(chain: OverChain, step: OverStep): String = {
    val below = chain.from.collect {
      case node if !Carrying.holds(chain.relation, node) => node.expressions.map(_.sql).mkString(", ")
    }
    (s"${step.told}; ${Algebra.name(chain.relation)}" +: below.filter(_.nonEmpty)).mkString("; ")
  }

  private def algebra(chain: OverChain, steps: Seq[OverStep]): String =
    steps.foldLeft(Algebra.name(chain.relation))((inner, step) => s"OVER[${step.told}]($inner)")
}

/** The hidden columns of an answer with expiries. */
private[analyze] final case class Expiry(instant: Attribute, phase: Attribute, window: Attribute)

/** The windows of one PARTITION BY, which one operator computes. */
private[analyze] final case class OverStep(
    key: Seq[Attribute],
    windows: Seq[(OverWindow, Seq[OverCall])],
    values: Seq[Attribute],
    mark: Option[Attribute],
    expiry: Option[Expiry],
    told: String) {
  private def calls: Seq[OverCall] = windows.flatMap(_._2)

  /** The columns of the answer, by the identity that the query knows them by. */
  def results: Seq[(ExprId, NamedExpression)] = calls.zip(values).map { case (call, value) =>
    // a row that does not yield has no values, but it never gets so far
    val there = if (value.nullable && !call.function.nullable) KnownNotNull(value) else value
    call.item.exprId -> Alias(there, call.item.name)(
      call.item.exprId,
      call.item.qualifier,
      call.item.explicitMetadata)
  }

  def over(stream: OrderedStream, rowOrder: Seq[Attribute], described: String): OrderedStream =
    StreamLowering.slides(
      stream,
      StreamProgram.Slides(windows.map(_._1), mark.isDefined),
      key,
      rowOrder,
      calls.map(_.function),
      values,
      mark.toSeq ++ expiry.toSeq.flatMap(e => Seq(e.instant, e.phase, e.window)),
      described
    )
}

private[analyze] object OverStep {
  def apply(calls: Seq[OverCall], stream: OrderedStream, isLast: Boolean): OverStep = {
    def numbers(call: OverCall) = call.window(stream.time.get.dataType)
    val windows = calls.map(numbers).distinct.map { case (span, pace) =>
      val own = calls.filter(call => numbers(call) == (span, pace))
      (OverWindow(span, pace, own.size), own)
    }
    val marked = !isLast && calls.exists(_.slides)
    def hidden(name: String) = AttributeReference(name, LongType, nullable = false)()
    OverStep(
      Carrying.distinct(calls.head.partitionBy),
      windows,
      windows.flatMap(_._2).map(c =>
        AttributeReference("value", c.function.dataType, marked || c.function.nullable)()),
      if (marked) Some(AttributeReference("yields", BooleanType, nullable = false)()) else None,
      if (calls.exists(_.isActive)) Some(Expiry(hidden("instant"), hidden("phase"), hidden("window")))
      else None,
      tell(windows)
    )
  }

  private def tell(windows: Seq[(OverWindow, Seq[OverCall])]): String = {
    val partition = windows.head._2.head.partitionBy.map(_.name).mkString(", ")
    val parts = windows.map { case (window, calls) =>
      val way = Way.of(window, calls.forall(c => WindowAggregates.mergeable(c.function.toSpark)))
      val functions = calls.map(call => Fingerprint.unqualified(call.function)).distinct
      s"${functions.mkString(", ")} ${calls.head.frame} by ${way.told}"
    }
    (if (partition.isEmpty) "" else s"PARTITION BY $partition ") + parts.mkString(", ")
  }
}

/** What an OVER did not say, and what was taken instead. */
private[analyze] object OverDefaults {
  def of(stream: OrderedStream, chain: OverChain): Seq[String] = {
    val time = stream.timeByDefault.map(column => s"$column is the time [ORDER BY $column]")
    if (time.isDefined && org.sparkcsql.CsqlConf.rejectsDefaults(org.apache.spark.sql.internal.SQLConf.get)) {
      CsqlErrors.analysis(
        "CSQL_DEFAULT_REJECTED",
        chain.own.head.at,
        "default" -> time.get,
        "query" -> s"OVER (… ORDER BY ${stream.timeByDefault.get} ${chain.own.head.frame})"
      )
    }
    time.toSeq ++
      (if (stream.slackByDefault) Some("tuples out of order are late [SLACK 0 SECONDS]") else None)
  }
}
