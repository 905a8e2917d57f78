package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import org.apache.spark.sql.types.IntegerType
import org.sparkcsql.analyze.{OrderedStream, StreamOrders}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.stream.StreamLowering
import org.sparkcsql.plan.{BlockSummary, ContinuousAnswer, StreamClock, StreamTime}

/** UNION of windowed queries: their answer streams, merged by time, ties in the order of the sides. */
object MergedAnswers {
  def all(union: Union): ContinuousAnswer = finish(union, "⊎", merge(union))

  /** Without ALL, a row equal to another of the same instant goes. */
  def distinct(union: Union): ContinuousAnswer = finish(union, "∪", Shaping.distinct(together(merge(union))))

  /** On a stream, the rows of one instant are brought together first: a side may give its rows later than another. */
  private def together(answer: Answer): Answer =
    if (answer.plan.isStreaming) StreamLowering.inOrder(answer) else answer

  private def finish(union: Union, symbol: String, answer: Answer): ContinuousAnswer =
    ContinuousAnswer(
      BlockSummary(s"$symbol(${union.children.size} streams)", Nil),
      answer.order,
      union.output,
      answer.plan,
      answer.clock)

  private def merge(union: Union): Answer = {
    val sides =
      union.children.map(side => StreamOrders.carried(side).getOrElse(refuse(side, "which is no stream")))
    val times = sides.map(_.time)
    union.children.zip(times).collectFirst { case (side, None) =>
      refuse(side, "which has no time to merge by")
    }
    val types = times.flatten.map(_.dataType).distinct
    if (types.size > 1) {
      CsqlErrors.analysis("CSQL_TIME_TYPES_DIFFER", union.origin, "types" -> types.map(_.sql).mkString(", "))
    }
    // The ties of each side in columns of their own, empty for the rows of the other sides.
    val ties = sides.map(_.order.ties)
    val tagged = sides.indices.map { i =>
      val time = Alias(times(i).get.column, "time")()
      val side = Alias(Literal(i, IntegerType), "side")()
      val own = ties.zipWithIndex.flatMap { case (columns, j) =>
        columns.map(c => Alias(if (i == j) c else Literal(null, c.dataType), "tie")())
      }
      Project(visible(union, i, sides(i)) ++ (time +: side +: own), sides(i).plan)
    }
    val merged = Union(tagged)
    val width = union.output.size
    val (time, rest) = (merged.output(width), merged.output.drop(width + 1))
    val answer =
      Answer(merged, merged.output.take(width), Some(StreamTime(time, times.head.get.dataType)), Nil, rest)
    answer.copy(clock = clockOf(sides.map(_.clock)))
  }

  private def clockOf(clocks: Seq[StreamClock]): StreamClock = {
    val watermarks = clocks.collect { case clock: StreamClock.Watermark => clock }
    watermarks.headOption.fold(clocks.head)(_.copy(shortened = watermarks.forall(_.shortened)))
  }

  private def visible(union: Union, side: Int, stream: OrderedStream): Seq[NamedExpression] = {
    val columns = union.children(side).output
    require(columns.forall(stream.plan.outputSet.contains), "a side of a union lost a column")
    columns
  }

  private def refuse(side: LogicalPlan, why: String): Nothing = CsqlErrors.analysis(
    "CSQL_NOT_SUPPORTED_YET",
    side.origin,
    "what" -> s"A UNION of a windowed query with a query $why",
    "hint" -> "Put the windowed query into a subquery, SELECT * FROM (…), to unite its answer as a table."
  )
}
