package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.sparkcsql.analyze._
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{BlockSummary, ContinuousAnswer}

/** From a block to a plan of Spark's operators and ours that computes its answer. */
private[sparkcsql] trait Lowering {
  def sample(stream: OrderedStream, frequency: ResolvedFrequency): OrderedStream
  protected def slideSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer
  private[sparkcsql] def slideAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): (Answer, Attribute)
  protected def jumpSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer
  private[sparkcsql] def jumpAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer

  /** An aggregate that answers once, when all tuples have come. */
  private[sparkcsql] def wholeAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer

  final def apply(block: Block, meaning: Meaning): LogicalPlan = {
    val window = meaning.window
    val stream = NeededColumns(block, meaning.stream, meaning.countedColumns)
    val thinned = meaning.sample.fold(stream)(sample(stream, _))
    val jumping = window.frequency.pace != Pace.EachTuple
    val (unshaped, above) = (block.aggregate, distinctList(block)) match {
      case (Some(aggregate), _) if block.answersOnce =>
        (wholeAggregate(block, GroupedList.of(aggregate), thinned, window), block.above)
      case (Some(aggregate), _) if jumping =>
        (jumpAggregate(block, GroupedList.of(aggregate), thinned, window), block.above)
      case (Some(aggregate), _) =>
        (slideAggregate(block, GroupedList.of(aggregate), thinned, window)._1, block.above)
      case (None, Some((list, rest))) if !jumping => (slideDistinct(block, list, thinned, window), rest)
      case _ if jumping => (jumpSelect(block, thinned, window), block.above)
      case _ => (slideSelect(block, thinned, window), block.above)
    }
    shaped(block, unshaped, above, jumping, meaning.answerPace, meaning.summary)
  }

  /** The answer of a block whose rows or groups are known: SELECT list, HAVING, frequency on the answer. */
  final def shaped(
      block: Block,
      unshaped: Answer,
      above: Seq[LogicalPlan],
      jumping: Boolean,
      answerPace: Option[Pace],
      summary: BlockSummary): LogicalPlan = {
    val (answer, plain) = Shaping(unshaped, above, jumping)
    val sampled = answerPace.fold(answer.asStream) { pace =>
      val columns = AnswerColumns.of(block, answer)
      val keys = new KeyColumns(columns)
      sample(answer.asStream.keyed(keys), ResolvedFrequency(pace, keys(columns)))
    }
    finish(
      ContinuousAnswer(summary, answer.order, answer.visible, sampled.plan, sampled.clock),
      plain,
      answer)
  }

  /** SELECT DISTINCT: a row comes when no equal row is in the window already. */
  private def slideDistinct(
      block: Block,
      list: Seq[NamedExpression],
      stream: OrderedStream,
      window: ResolvedWindow): Answer = {
    val (answer, fresh) = slideAggregate(block, distinctGroups(block, list), stream, window)
    answer.copy(plan = Filter(fresh, answer.plan))
  }

  /** The rows of SELECT DISTINCT as groups. */
  final def distinctGroups(block: Block, list: Seq[NamedExpression]): GroupedList = {
    val (timed, untimed) = list.partition(_.exists(_.isInstanceOf[EvaluationTime]))
    timed.filter(_.references.nonEmpty).foreach { item =>
      CsqlErrors.analysis(
        "CSQL_EVALUATION_TIME",
        item.origin,
        "reason" -> "DISTINCT compares values, of which the time of the answer is no part.")
    }
    val values = untimed.map {
      case Alias(expression, _) => expression
      case other => other
    }
    GroupedList.of(Aggregate(values, list, block.from))
  }

  /** SELECT DISTINCT over the FROM clause itself: its list, and what stands above it. */
  final def distinctList(block: Block): Option[(Seq[NamedExpression], Seq[LogicalPlan])] =
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
