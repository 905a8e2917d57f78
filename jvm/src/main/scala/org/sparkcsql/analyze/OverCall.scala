package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.{Length => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval
import org.sparkcsql.aggregates.{Dispatch, UserAggregate}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.{Grid, Instants, Span}
import org.sparkcsql.plan._
import org.sparkcsql.stream.Way

/**
 * One call of an aggregate OVER a window of ours.
 *
 * @param length how far the window reaches back; none is UNBOUNDED
 * @param returns the type that the function's value is to have, if that is another one
 */
private[analyze] final case class OverCall(
    item: Alias,
    function: WindowedFunction,
    partitionBy: Seq[Attribute],
    orderBy: Seq[SortOrder],
    byRange: Boolean,
    length: Option[Length],
    tail: Option[FrameTail],
    at: Origin,
    returns: Option[DataType] = None) {

  /** Whether its window is measured in time. */
  def needsTime: Boolean = byRange && (length.isDefined || tail.isDefined)
  def isActive: Boolean = tail.contains(FrameTail.ActiveExpiration)
  def userCall: Option[UserAggregate] = UserAggregate.of(function).headOption
  def slides: Boolean = tail.exists(_.isInstanceOf[FrameTail.Slide])

  /** The window in numbers, on the axis of the stream's time where it needs one. */
  def window(timeType: => DataType): (Span, OverPace) = {
    def inTime(length: Length, part: String) = TimeAxis.length(length, part, timeType)
    val span = length match {
      case None => Span.Endless
      case Some(back) if byRange => Span.Time(Instants.plus(inTime(back, "RANGE"), 1), 0)
      case Some(back) => Span.Tuples(Instants.plus(back.value, 1), 0)
    }
    val pace = tail match {
      case None => OverPace.EachTuple
      case Some(FrameTail.ActiveExpiration) => OverPace.Expiring(inTime(length.get, "RANGE"))
      case Some(FrameTail.Slide(slide)) if byRange => OverPace.LastOfSlot(Grid(0, inTime(slide, "SLIDE")))
      case Some(FrameTail.Slide(Length(1, _, _))) => OverPace.EachTuple
      case Some(FrameTail.Slide(slide)) => OverPace.EveryTuples(slide.value)
    }
    (span, pace)
  }

  /** With Spark's function, where a name of a user's has a version for windows only and this window asks for the other. */
  def withSparks(timeType: => DataType): OverCall = {
    val (span, pace) = window(timeType)
    val asked = userCall.filter(_ => Dispatch.takesBase(span, Way.asking(OverWindow(span, pace, 1))))
    asked.flatMap(call => call.sparksVersion.map(call -> _)).fold(this) { case (call, function) =>
      val plain = AggregateExpression(function, Complete, isDistinct = false)
      copy(function = WindowedFunction(plain), returns = Some(call.programs.any.returns))
    }
  }

  /** As it was written, but for the function. */
  def frame: String = {
    val unit = if (byRange) "RANGE" else "ROWS"
    val back = length.fold("UNBOUNDED")(l => if (byRange) Algebra.text(l) else l.value.toString)
    val rest = tail match {
      case None => ""
      case Some(FrameTail.ActiveExpiration) => " ACTIVE EXPIRATION"
      case Some(FrameTail.Slide(slide)) => s" SLIDE ${Algebra.text(slide)}"
    }
    s"$unit $back PRECEDING$rest"
  }
}

private[analyze] object OverCall {
  def read(item: NamedExpression, window: Window): OverCall = item match {
    case alias @ Alias(call @ WindowExpression(function, WindowSpecDefinition(_, _, frame)), _) =>
      val at = call.origin
      ComparedByBytes.require(window.partitionSpec, at)
      val (asWritten, tail, byDefault) = frame match {
        case SpecifiedWindowFrame(_, own: OwnFrame, _) => (own.asWritten, own.tail, false)
        case specified: SpecifiedWindowFrame => (specified, None, isFilledIn(specified, window))
        case other => throw new IllegalStateException(s"a frame of an unknown kind: $other")
      }
      OverCall(
        alias,
        aggregate(function, at),
        window.partitionSpec.flatMap(_.references.toSeq),
        window.orderSpec,
        asWritten.frameType == RangeFrame,
        if (byDefault) None else reach(asWritten, at),
        tail,
        at
      )
    case other => throw new IllegalStateException(s"a window function without a name: $other")
  }

  private def aggregate(function: Expression, at: Origin): WindowedFunction = function match {
    case aggregate: AggregateExpression =>
      aggregate.aggregateFunction match {
        case _: DeclarativeAggregate | _: ImperativeAggregate | _: RuntimeReplaceableAggregate =>
          WindowedFunction(aggregate)
        case call: UserAggregate =>
          call.checkTypes()
          WindowedFunction(UserAggregate.rowsOf(aggregate))
        case other => refuseFunction(other.prettyName, at)
      }
    case other => refuseFunction(other.prettyName, at)
  }

  private def refuseFunction(name: String, at: Origin): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    at,
    "what" -> s"The function $name OVER a window of a stream",
    "hint" -> "Use one of Spark's own aggregates or an Aggregator, or write the OVER in plain SQL, with ORDER BY."
  )

  /** Whether Spark has put the frame where none was written; with ORDER BY it puts one that ends at the current row. */
  private def isFilledIn(frame: SpecifiedWindowFrame, window: Window): Boolean =
    window.orderSpec.isEmpty && frame.isUnbounded && frame.getTagValue(OwnFrame.Written).isEmpty

  /** How far a frame reaches back from the current tuple, where it ends. */
  private def reach(frame: SpecifiedWindowFrame, at: Origin): Option[Length] = {
    if (frame.upper != CurrentRow) refuseFrame(frame, at)
    frame.lower match {
      case UnboundedPreceding => None
      case CurrentRow if frame.frameType == RowFrame => Some(Length(0, LengthUnit.Tuples, at))
      case bound if bound.foldable && bound.resolved => Some(distance(bound, frame, at))
      case _ => refuseFrame(frame, at)
    }
  }

  private def distance(bound: Expression, frame: SpecifiedWindowFrame, at: Origin): Length = {
    val place = if (bound.origin.startIndex.isDefined) bound.origin else at
    def micros(count: Long) = Length(count, LengthUnit.Time("Microsecond", 1), place)
    val length = (bound.eval(), bound.dataType) match {
      case (back: Long, _: DayTimeIntervalType) => micros(Math.negateExact(back))
      case (interval: CalendarInterval, _) if interval.months == 0 =>
        micros(
          -Math.addExact(Math.multiplyExact(interval.days.toLong, 86400000000L), interval.microseconds))
      case (back: Number, kind) if TimeAxis.isInteger(kind) =>
        Length(
          Math.negateExact(back.longValue),
          if (frame.frameType == RowFrame) LengthUnit.Tuples else LengthUnit.Bare,
          place)
      case _ => refuseFrame(frame, at)
    }
    if (length.value < 0) {
      CsqlErrors.analysis(
        "CSQL_LENGTH_NOT_POSITIVE",
        place,
        "length" -> length.value.toString,
        "part" -> frame.frameType.sql,
        "least" -> "0")
    }
    length
  }

  private def refuseFrame(frame: SpecifiedWindowFrame, at: Origin): Nothing =
    CsqlErrors.analysis("CSQL_OVER_FRAME", at, "frame" -> frame.sql)
}
