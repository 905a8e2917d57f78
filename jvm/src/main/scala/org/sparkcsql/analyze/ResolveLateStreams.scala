package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.Literal.FalseLiteral
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.catalog.DeclaredStream
import org.sparkcsql.plan.StreamWindow
import org.sparkcsql.stream.StreamLowering

/**
 * `LATE INTO name` declares a view that selects nothing from the stream, which is right for a table:
 * nothing of it is late. Over a stream that has not ended, it becomes the rows that come too late.
 */
object ResolveLateStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case view: View if view.resolved && view.isStreaming && isLate(view) && !view.exists(isResolved) =>
      view.copy(child = view.child.transform {
        case nothing @ Filter(FalseLiteral, stream) => late(stream).getOrElse(nothing)
      })
  }

  private def isLate(view: View): Boolean = DeclaredStream.of(view).exists(_.isLate)

  private def isResolved(node: LogicalPlan): Boolean = node.isInstanceOf[StreamWindow]

  /** Without a time nothing is late. */
  private def late(stream: LogicalPlan): Option[LogicalPlan] = {
    val ordered = StreamOrders.of(stream, None)
    ordered.time.map(_ => Project(stream.output, StreamLowering.lateRows(ordered)))
  }
}
