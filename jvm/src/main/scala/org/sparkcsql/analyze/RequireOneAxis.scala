package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.sparkcsql.errors.CsqlErrors

/**
 * Spark has one watermark for a whole query, the least of all. Those of integers lie far from those of
 * instants (see ClockUnit), so beside one another the integers would never be complete. Only the whole
 * plan shows it: the streams may meet in plain SQL, or in a union of DataFrames.
 */
object RequireOneAxis extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = {
    val times = plan.collect { case mark: EventTimeWatermark if mark.isStreaming => mark -> timeOf(mark) }
    val (counters, instants) = times.partition { case (_, time) => TimeAxis.isInteger(time.dataType) }
    if (counters.nonEmpty && instants.nonEmpty)
      CsqlErrors.analysis(
        "CSQL_TIME_TYPES_DIFFER",
        counters.head._1.origin,
        "types" -> times.map { case (_, time) => time.dataType.sql }.distinct.mkString(", "))
  }

  /** The column that a watermark tells about; StreamingOrders makes a timestamp of other types first. */
  private def timeOf(mark: EventTimeWatermark): Attribute = mark.child match {
    case Project(list, _) =>
      val made = list.find(item =>
        item.exprId == mark.eventTime.exprId && item.exists(_.isInstanceOf[WithinWatermark]))
      made.flatMap(_.references.headOption).getOrElse(mark.eventTime)
    case _ => mark.eventTime
  }
}
