package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{BooleanType, DataType, LongType}
import org.sparkcsql.batch.Expressions
import org.sparkcsql.plan._
import org.sparkcsql.stream.{Fingerprint, StreamLowering, Way}

/** The hidden columns of rows that may be those of an expiry: when, whether, and from which window. */
private[analyze] final case class Expiry(instant: Attribute, phase: Attribute, window: Attribute) {
  def columns: Seq[Attribute] = Seq(instant, phase, window)
  def isArrival: Expression = EqualTo(phase, Expressions.long(0))
}

/**
 * The windows of one PARTITION BY, which one operator computes.
 *
 * @param mark whether a row yields, where rows that do not come as well
 * @param expiry set if tuples expire
 */
private[analyze] final case class OverStep(
    key: Seq[Attribute],
    windows: Seq[(OverWindow, Seq[OverCall])],
    values: Seq[Attribute],
    mark: Option[Attribute],
    expiry: Option[Expiry]) {
  private def calls: Seq[OverCall] = windows.flatMap(_._2)

  /** The values of the calls, by the identity that the query knows them by. */
  def results: Seq[(ExprId, Expression)] = calls.zip(values).map { case (call, value) =>
    val found = known(call, value)
    call.item.exprId -> call.returns.fold(found)(Cast(found, _, evalMode = EvalMode.ANSI))
  }

  /** A row without values is not asked for them. */
  private def known(call: OverCall, value: Attribute): Expression =
    if (value.nullable && !call.function.nullable) KnownNotNull(value) else value

  /** @param arrives tells tuples from rows of expiries of earlier steps, which only pass by */
  def over(
      stream: OrderedStream,
      plan: LogicalPlan,
      arrives: Option[Attribute],
      described: String): OrderedStream =
    StreamLowering.slides(
      stream.copy(plan = plan),
      StreamProgram.Slides(windows.map(_._1), mark.isDefined),
      key,
      arrives,
      calls.map(_.function),
      values,
      mark.toSeq ++ expiry.toSeq.flatMap(_.columns),
      described
    )

  /** The windows as they were written, and the way in which they run. */
  def told: String = {
    val partition = key.map(_.name).mkString(", ")
    val parts = windows.map { case (window, calls) =>
      val way = Way.of(window, calls.map(_.function.toSpark))
      val functions = calls.map(call => Fingerprint.unqualified(call.function)).distinct
      s"${functions.mkString(", ")} ${calls.head.frame} by ${way.told}"
    }
    (if (partition.isEmpty) "" else s"PARTITION BY $partition ") + parts.mkString(", ")
  }
}

private[analyze] object OverStep {

  /**
   * @param isLast whether rows that do not yield are wanted by nobody
   * @param isPassed whether rows pass by that are no tuples
   */
  def apply(
      calls: Seq[OverCall],
      timeType: => DataType,
      isLast: Boolean,
      isPassed: Boolean = false): OverStep = {
    // tuples expire once from a window; otherwise each kind of function keeps them in its own way
    def kept(call: OverCall) = (call.window(timeType), call.userCall.isDefined && !call.isActive)
    val windows = calls.map(kept).distinct.map { case same @ ((span, pace), _) =>
      val own = calls.filter(kept(_) == same)
      (OverWindow(span, pace, own.size), own)
    }
    val marked = !isLast && calls.exists(_.slides)
    def hidden(name: String) = AttributeReference(name, LongType, nullable = false)()
    val values = windows.flatMap(_._2).map { call =>
      AttributeReference("value", call.function.dataType, marked || isPassed || call.function.nullable)()
    }
    OverStep(
      Carrying.distinct(calls.head.partitionBy),
      windows,
      values,
      if (marked) Some(AttributeReference("yields", BooleanType, nullable = false)()) else None,
      if (calls.exists(_.isActive)) Some(Expiry(hidden("instant"), hidden("phase"), hidden("window")))
      else None
    )
  }
}
