package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan}
import org.apache.spark.sql.types.{BooleanType, LongType}
import org.sparkcsql.analyze.{Extent, ResolvedWindow}
import org.sparkcsql.kernel.Grid
import org.sparkcsql.plan.SlideAggregate

/**
 * A window of the last tuples of the whole stream would run in one task. Cut into stretches it runs
 * in many: each stretch, known by the number at which it ends, begins with copies of the tuples before it that its first windows still hold.
 */
private[batch] object Stretches {
  import Expressions._

  private val Shortest = 1L << 16
  private val Longest = 1L << 22

  /**
   * The same answer with stretches as keys; none where a window is not bounded by tuples, or too long to cut.
   *
   * @param counts whether all tuples of the stream come to the operator
   */
  def of(slide: SlideAggregate, window: ResolvedWindow, counts: Boolean): Option[LogicalPlan] =
    (window.extent, slide.enter, slide.leave) match {
      case (Extent.Tuples(count, 0, Nil), Some(enter), Some(leave))
          if slide.key.isEmpty && slide.single && count <= Longest / 4 =>
        Some(cut(slide, count, enter, leave, counts))
      case _ => None
    }

  private def cut(
      slide: SlideAggregate,
      count: Long,
      enter: Attribute,
      leave: Attribute,
      counts: Boolean): LogicalPlan = {
    val length = math.max(Shortest, 4 * count)
    val stretch = AttributeReference("stretch", LongType, nullable = false)()
    val own = AttributeReference("own", BooleanType, nullable = false)()
    val columns = slide.child.output
    val end = TickAtOrAfter(enter, Grid(0, length))
    val copied = Expand(
      Seq(
        columns ++ Seq(end, Literal.TrueLiteral),
        columns ++ Seq(Add(end, long(length)), Literal.FalseLiteral)),
      columns ++ Seq(stretch, own),
      slide.child)
    val first = Subtract(stretch, long(length - 1))
    val stretches = Filter(Or(own, GreaterThan(leave, first)), copied)
    val cut = slide.copy(key = Seq(stretch), order = Seq(enter), child = stretches)
    Filter(own, if (counts) cut.copy(enter = None, leave = None, last = Some(count)) else cut)
  }
}
