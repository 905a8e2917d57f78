package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.sparkcsql.plan.OwnFrame

/**
 * OVER without ORDER BY may stand over a stream, which has an order of its own. What the relation is,
 * is not known yet, so a frame that Spark would refuse without an order is set aside, and one that
 * it would accept is marked: it fills in the same frame where none is written.
 */
object SetFramesAside extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(WINDOW_EXPRESSION)) plan
    else
      plan.transformAllExpressionsWithSubqueries {
        case spec @ WindowSpecDefinition(_, Nil, frame: SpecifiedWindowFrame)
            if frame.frameType == RangeFrame && !frame.isUnbounded =>
          spec.copy(frameSpecification = OwnFrame.aside(frame, None, certain = false))
        case spec @ WindowSpecDefinition(_, Nil, frame: SpecifiedWindowFrame) =>
          frame.setTagValue(OwnFrame.Written, ())
          spec
      }

  /** A frame that was set aside for a relation that is no stream. */
  def backAgain(call: Expression): Expression = call.transform {
    case SpecifiedWindowFrame(_, own: OwnFrame, _) if !own.certain => own.asWritten
  }
}
