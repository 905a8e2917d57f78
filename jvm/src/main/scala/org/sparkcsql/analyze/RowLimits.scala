package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.analysis.SimpleAnalyzer
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._

/** The rows that LIMIT and OFFSET leave: at most `limit` of those behind the first `offset`. */
private[sparkcsql] final case class RowRange(limit: Option[Int], offset: Int) {
  def isAll: Boolean = limit.isEmpty && offset == 0
}

/** LIMIT and OFFSET of each evaluation, which Spark does not get to see. */
private[sparkcsql] object RowLimits {

  def isLimit(node: LogicalPlan): Boolean = node match {
    case _: GlobalLimit | _: LocalLimit | _: Offset => true
    case _ => false
  }

  /** The limits on top of a plan, from the top down. */
  def above(plan: LogicalPlan): Seq[LogicalPlan] =
    if (isLimit(plan)) plan +: above(plan.children.head) else Nil

  /** @param limits from the top down */
  def of(limits: Seq[LogicalPlan]): RowRange = {
    check(limits)
    limits.foldRight(RowRange(None, 0)) {
      case (GlobalLimit(count, _), RowRange(limit, offset)) =>
        RowRange(Some(limit.fold(number(count))(math.min(_, number(count)))), offset)
      case (Offset(count, _), RowRange(limit, offset)) =>
        RowRange(limit.map(n => math.max(0, n - number(count))), Math.addExact(offset, number(count)))
      case (_, range) => range
    }
  }

  /** What Spark refuses as a number of rows, and in its words. */
  private def check(limits: Seq[LogicalPlan]): Unit =
    SimpleAnalyzer.checkAnalysis(limits.foldRight[LogicalPlan](OneRowRelation())((limit, below) =>
      limit.withNewChildren(Seq(below))))

  private def number(count: Expression): Int = count.eval().asInstanceOf[Int]
}
