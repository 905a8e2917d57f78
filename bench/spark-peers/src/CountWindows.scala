package org.sparkcsql.bench

import org.apache.spark.sql.{Dataset, Encoder, Row}
import org.apache.spark.sql.streaming._

final case class Reading(key: Int, time: Long, load: Double)

final case class Answer(time: Long, key: Int, value: Double)

/** Windows by tuples on a stream, as a user writes them with what Spark offers for it. */
object CountWindows {

  def slide(way: String, readings: Dataset[Row], aggregate: String, window: Int): Dataset[Answer] = {
    import readings.sparkSession.implicits._
    run(way, readings, new Slide(Aggregate(aggregate), window))
  }

  def jump(way: String, readings: Dataset[Row], window: Int, every: Int): Dataset[Answer] = {
    import readings.sparkSession.implicits._
    run(way, readings, new Jump(window, every))
  }

  private def run[S: Encoder](way: String, readings: Dataset[Row], step: Step[S]): Dataset[Answer] = {
    import readings.sparkSession.implicits._
    val byKey = readings.as[Reading].groupByKey(_.key)
    way match {
      case "flatMapGroupsWithState" =>
        byKey.flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout()) {
          (_: Int, arrived: Iterator[Reading], state: GroupState[S]) =>
            val (answers, kept) = step(state.getOption.getOrElse(step.empty), inOrder(arrived))
            state.update(kept)
            answers
        }
      case "transformWithState" =>
        byKey.transformWithState(new Processor(step), TimeMode.None(), OutputMode.Append())
    }
  }

  private[bench] def inOrder(arrived: Iterator[Reading]): Array[Reading] = arrived.toArray.sortBy(_.time)
}

final class Processor[S: Encoder](step: Step[S]) extends StatefulProcessor[Int, Reading, Answer] {
  @transient private var state: ValueState[S] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    state = getHandle.getValueState[S]("kept", implicitly[Encoder[S]], TTLConfig.NONE)

  override def handleInputRows(
      key: Int,
      arrived: Iterator[Reading],
      timers: TimerValues): Iterator[Answer] = {
    val kept = if (state.exists()) state.get() else step.empty
    val (answers, next) = step(kept, CountWindows.inOrder(arrived))
    state.update(next)
    answers
  }
}
