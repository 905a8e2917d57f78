package org.sparkcsql.bench

import org.apache.spark.sql.{Dataset, Row}
import org.apache.spark.sql.streaming._

import scala.reflect.runtime.universe.TypeTag

final case class Reading(key: Int, time: Long, load: Double)

final case class Answer(time: Long, key: Int, value: Double)

/** Windows by tuples on a stream, as a user writes them with what Spark offers for it. */
object CountWindows {

  def slide(way: String, readings: Dataset[Row], aggregate: String, window: Int): Dataset[Answer] =
    run(way, readings, new Slide(Aggregate(aggregate), window))

  def jump(way: String, readings: Dataset[Row], window: Int, every: Int): Dataset[Answer] =
    run(way, readings, new Jump(window, every))

  private def run[S <: Product: TypeTag](way: String, readings: Dataset[Row], step: Step[S]): Dataset[Answer] = {
    import readings.sparkSession.implicits._
    val byKey = readings.as[Reading].groupByKey(_.key)
    way match {
      case "flatMapGroupsWithState" =>
        byKey.flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.EventTimeTimeout()) {
          (_: Int, arrived: Iterator[Reading], state: GroupState[Held[S]]) =>
            val before = state.getOption.getOrElse(Held.nothing(step))
            val (answers, held) = before.release(step, arrived, state.getCurrentWatermarkMs())
            state.update(held)
            held.nextMs.foreach(state.setTimeoutTimestamp)
            answers
        }
      case "flatMapGroupsWithState as they arrive" =>
        byKey.flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout()) {
          (_: Int, arrived: Iterator[Reading], state: GroupState[S]) =>
            val (answers, kept) = step(state.getOption.getOrElse(step.empty), Held.inOrder(arrived))
            state.update(kept)
            answers
        }
      case "transformWithState" =>
        byKey.transformWithState(new InEventTime(step), TimeMode.EventTime(), OutputMode.Append())
      case "transformWithState as they arrive" =>
        byKey.transformWithState(new AsTheyArrive(step), TimeMode.None(), OutputMode.Append())
    }
  }
}
