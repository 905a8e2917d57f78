package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.analyze._
import org.sparkcsql.plan.ContinuousAnswer

/** From a block over a table to a plan of Spark's operators and ours that computes its whole answer. */
object BatchLowering {
  def apply(block: Block, meaning: Meaning): LogicalPlan = {
    val window = meaning.window
    val stream = NeededColumns(block, meaning.stream, meaning.countedColumns)
    val thinned = meaning.sample.fold(stream)(Sampling(stream, _))
    val jumping = window.frequency.pace != Pace.EachTuple
    val (unshaped, above) = (block.aggregate, distinctList(block)) match {
      case (Some(aggregate), _) if jumping =>
        (Jumping.aggregate(block, aggregate, thinned, window), block.above)
      case (Some(aggregate), _) => (Sliding.aggregate(block, aggregate, thinned, window), block.above)
      case (None, Some((list, rest))) if !jumping => (Sliding.distinct(block, list, thinned, window), rest)
      case _ if jumping => (Jumping.select(block, thinned, window), block.above)
      case _ => (Sliding.select(block, thinned, window), block.above)
    }
    val (answer, plain) = Shaping(unshaped, above, jumping)
    val sampled = meaning.answerPace.fold(answer.asStream) { pace =>
      Sampling(answer.asStream, ResolvedFrequency(pace, AnswerColumns.of(block, answer)))
    }
    finish(ContinuousAnswer(meaning.summary, answer.order, answer.visible, sampled.plan), plain, answer)
  }

  /** SELECT DISTINCT over the FROM clause itself: its list, and what stands above it. */
  private def distinctList(block: Block): Option[(Seq[NamedExpression], Seq[LogicalPlan])] =
    block.above.reverse match {
      case Project(list, _) +: (_: Distinct) +: rest => Some((list, rest.reverse))
      case _ => None
    }

  /** Plain SQL on the whole answer. It may still ask for the time of an answer, which is hidden. */
  private def finish(answered: ContinuousAnswer, plain: Seq[LogicalPlan], answer: Answer): LogicalPlan = {
    val asksTime = plain.exists(_.expressions.exists(_.exists(_.isInstanceOf[EvaluationTime])))
    if (!asksTime) plain.foldRight[LogicalPlan](answered)((node, child) => node.withNewChildren(Seq(child)))
    else {
      val whole = plain.foldRight[LogicalPlan](answered.withOrder) { (node, child) =>
        node.withNewChildren(Seq(child)).transformExpressions { case time: EvaluationTime =>
          answer.timed(time)
        }
      }
      Project(plain.head.output, whole)
    }
  }
}
