package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.sparkcsql.analyze.{Block, Carrying, OrderedStream}

/**
 * Leaves only the columns that a block uses. Done here and not by the optimiser, so that the rows
 * and the evaluation points of a block read the same numbered stream and Spark shuffles it once.
 */
private[sparkcsql] object NeededColumns {
  def apply(block: Block, stream: OrderedStream, counted: Seq[Attribute]): OrderedStream = {
    val used = AttributeSet(
      outside(block).flatMap(_.references) ++ block.aggregate.toSeq.flatMap(_.references) ++
        block.above.flatMap(_.references) ++ selected(block) ++ counted ++ AnswerColumns.hiddenInputs(block))
    val kept = Carrying.distinct(stream.plan.output.filter(used.contains) ++ stream.order.columns)
    stream.copy(plan = Project(kept, stream.plan))
  }

  private def outside(block: Block): Seq[LogicalPlan] =
    block.from.collect { case node if !Carrying.holds(block.stream, node) => node }

  /** Without a SELECT list above it, FROM shows all its columns. */
  private def selected(block: Block): Seq[Attribute] =
    if (block.aggregate.isDefined || block.above.lastOption.exists(_.isInstanceOf[Project])) Nil
    else block.from.output
}
