package org.sparkcsql.analyze

import java.util.UUID

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.sparkcsql.plan.{RelationWindow, StreamWindow}

/**
 * Gives each watermark of a query a number of its own. Spark brings watermarks to stateful operators by these
 * numbers; where two chains of operators come from one DataFrame with a watermark, the second chain would get none
 * and never answer.
 */
object WatermarksApart extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val numbers = plan.collect { case watermark: EventTimeWatermark => watermark.nodeId }
    if (numbers.distinct.length == numbers.length || !plan.exists(isOurs)) plan
    else {
      val taken = mutable.HashSet.empty[UUID]
      // in DataFrames too, which have been analysed before
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        plan.transformUp {
          case watermark: EventTimeWatermark if !taken.add(watermark.nodeId) =>
            watermark.copy(nodeId = UUID.randomUUID())
        }
      }
    }
  }

  private def isOurs(node: LogicalPlan): Boolean = node match {
    case _: StreamWindow | _: RelationWindow => true
    case _ => false
  }
}
