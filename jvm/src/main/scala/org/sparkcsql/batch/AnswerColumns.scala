package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.sparkcsql.analyze.{Block, Columns}
import org.sparkcsql.plan.ColumnName

/** The columns that a frequency in the SELECT list is partitioned by. */
private[sparkcsql] object AnswerColumns {

  /** Those of the SELECT list are taken as they are, the others from its input, as far as DISTINCT left them. */
  def of(block: Block, answer: Answer): Seq[Attribute] = names(block).map { name =>
    val column = Columns.resolve(name, selected(block)).getOrElse(input(block, name))
    if (answer.plan.outputSet.contains(column)) column else Columns.find(name, Nil)
  }

  def hiddenInputs(block: Block): Seq[Attribute] = names(block).flatMap { name =>
    if (Columns.resolve(name, selected(block)).isDefined) None else Some(input(block, name))
  }

  private def names(block: Block): Seq[ColumnName] = block.answerFrequency.toSeq.flatMap(_.partitionBy)

  private def top(block: Block): LogicalPlan =
    block.above.headOption.orElse(block.aggregate).getOrElse(block.from)

  private def selected(block: Block): Seq[Attribute] = top(block).output

  private def input(block: Block, name: ColumnName): Attribute = {
    val available = block.aggregate match {
      case Some(aggregate) => aggregate.groupingExpressions.collect { case column: Attribute => column }
      case None => block.from.output
    }
    Columns.resolve(name, available).getOrElse(Columns.find(name, selected(block) ++ available))
  }
}
