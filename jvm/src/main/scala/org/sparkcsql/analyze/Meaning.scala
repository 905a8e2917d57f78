package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.trees.Origin
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/**
 * What a block means: its stream, what thins the stream, its window, what thins its answer, and
 * what was filled in by default.
 *
 * @param sample a frequency alone in FROM: the tuples it picks are the stream
 */
final case class Meaning(
    stream: OrderedStream,
    sample: Option[ResolvedFrequency],
    window: ResolvedWindow,
    answerPace: Option[Pace],
    summary: BlockSummary)

object Meaning {
  private val sliding = ResolvedFrequency(Pace.EachTuple, Nil)

  def of(block: Block): Meaning = {
    val stream = StreamOrders.of(block.stream, block.clause.flatMap(_.on))
    val resolver = new WindowResolver(stream, block.stream)
    val lone = block.clause.filter(_.shape.isEmpty).flatMap(_.frequency)
    val sample = lone.map(resolver.frequency(_, block.stream.output))
    val window =
      if (sample.isDefined) ResolvedWindow(Extent.Unbounded, sliding)
      else block.clause.fold(ResolvedWindow(Extent.Unbounded, sliding))(resolver.window)
    refuseScatteredLag(window, block)
    val answerPace = block.answerFrequency.map(f => pace(f, block, stream, resolver))
    checkEvaluationTime(block, stream)
    val defaults = Defaults.of(block, stream)
    Meaning(stream, sample, window, answerPace, BlockSummary(Algebra.of(block), defaults.map(_.told)))
  }

  /** The answer of a block on a latent stream has no time to sample by. */
  private def pace(frequency: Frequency, block: Block, stream: OrderedStream, resolver: WindowResolver): Pace = {
    if (TimeAxis.isTime(frequency.length)) StreamOrders.requireTime(stream, block.stream, frequency.at)
    resolver.pace(frequency)
  }

  private def refuseScatteredLag(window: ResolvedWindow, block: Block): Unit = window.extent match {
    case Extent.Tuples(_, lag, partitionBy)
        if lag > 0 && !partitionBy.forall(p => window.frequency.partitionBy.exists(_.exprId == p.exprId)) =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        block.clause.fold(Origin())(_.at),
        "what" -> "Lag together with a Range that is partitioned on its own",
        "hint" -> "Partition the Frequency by the same columns, as in [Range 3 Tuples Lag 1 Tuple, Frequency 1 Tuple Partitioned By id].")
    case _ =>
  }

  private def checkEvaluationTime(block: Block, stream: OrderedStream): Unit = {
    def refuse(time: EvaluationTime, reason: String): Nothing =
      CsqlErrors.analysis("CSQL_EVALUATION_TIME", time.origin, "reason" -> reason)
    block.from.foreach { node =>
      if (!Carrying.holds(block.stream, node)) {
        node.expressions.foreach(_.foreach {
          case time: EvaluationTime => refuse(time, "WHERE and JOIN look at tuples, before anything is evaluated.")
          case _ =>
        })
      }
    }
    block.aggregate.foreach(_.groupingExpressions.foreach(_.foreach {
      case time: EvaluationTime => refuse(time, "GROUP BY looks at tuples, before anything is evaluated.")
      case _ =>
    }))
    if (stream.time.isEmpty) {
      (block.above ++ block.aggregate).foreach(_.expressions.foreach(_.foreach {
        case time: EvaluationTime => refuse(time, "the stream has no time.")
        case _ =>
      }))
    }
  }
}
