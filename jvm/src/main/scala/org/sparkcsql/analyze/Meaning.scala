package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
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
    summary: BlockSummary) {

  /** The columns of the stream that its clause counts by. */
  def countedColumns: Seq[Attribute] = sample.toSeq.flatMap(_.partitionBy) ++ window.frequency.partitionBy ++
    (window.extent match {
      case Extent.Tuples(_, _, partitionBy) => partitionBy
      case _ => Nil
    })

  private def keyed(keys: KeyColumns): Meaning =
    copy(stream = stream.keyed(keys), sample = sample.map(_.by(keys)), window = window.by(keys))
}

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
    val answerPace = block.answerFrequency.map(f => pace(f, block, stream, resolver))
    checkEvaluationTime(block, stream)
    val defaults = Defaults.of(block, stream)
    val meaning =
      Meaning(stream, sample, window, answerPace, BlockSummary(Algebra.of(block), defaults.map(_.told)))
    meaning.keyed(new KeyColumns(meaning.countedColumns))
  }

  /** The answer of a block on a latent stream has no time to sample by. */
  private def pace(
      frequency: Frequency,
      block: Block,
      stream: OrderedStream,
      resolver: WindowResolver): Pace = {
    if (TimeAxis.isTime(frequency.length)) StreamOrders.requireTime(stream, block.stream, frequency.at)
    resolver.pace(frequency)
  }

  private def checkEvaluationTime(block: Block, stream: OrderedStream): Unit = {
    def refuse(time: EvaluationTime, reason: String): Nothing =
      CsqlErrors.analysis("CSQL_EVALUATION_TIME", time.origin, "reason" -> reason)
    block.from.foreach { node =>
      if (!Carrying.holds(block.stream, node)) {
        node.expressions.foreach(_.foreach {
          case time: EvaluationTime =>
            refuse(time, "WHERE and JOIN look at tuples, before anything is evaluated.")
          case _ =>
        })
      }
    }
    block.aggregate.foreach(_.groupingExpressions.foreach(_.foreach {
      case time: EvaluationTime => refuse(time, "GROUP BY looks at tuples, before anything is evaluated.")
      case _ =>
    }))
    block.aggregate.foreach(_.aggregateExpressions.foreach(_.foreach {
      case call: AggregateExpression =>
        call.foreach {
          case time: EvaluationTime =>
            refuse(time, "an aggregate looks at tuples, before anything is evaluated.")
          case _ =>
        }
      case _ =>
    }))
    if (stream.time.isEmpty || block.answersOnce) {
      val reason =
        if (block.answersOnce) "the aggregate answers once, when all tuples have come."
        else "the stream has no time."
      (block.above ++ block.aggregate).foreach(_.expressions.foreach(_.foreach {
        case time: EvaluationTime => refuse(time, reason)
        case _ =>
      }))
    }
  }
}
