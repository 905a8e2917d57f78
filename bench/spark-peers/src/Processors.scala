package org.sparkcsql.bench

import org.apache.spark.sql.{Encoder, Encoders}
import org.apache.spark.sql.streaming._

import scala.reflect.runtime.universe.TypeTag

/** Readings count when the watermark has passed them, in the order of their times. */
final class InEventTime[S <: Product: TypeTag](step: Step[S]) extends StatefulProcessor[Int, Reading, Answer] {
  private val encoder: Encoder[Held[S]] = Encoders.product[Held[S]]
  @transient private var state: ValueState[Held[S]] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    state = getHandle.getValueState[Held[S]]("held", encoder, TTLConfig.NONE)

  override def handleInputRows(key: Int, arrived: Iterator[Reading], timers: TimerValues): Iterator[Answer] =
    release(arrived, timers)

  override def handleExpiredTimer(
      key: Int,
      timers: TimerValues,
      expired: ExpiredTimerInfo): Iterator[Answer] = release(Iterator.empty, timers)

  private def release(arrived: Iterator[Reading], timers: TimerValues): Iterator[Answer] = {
    val before = if (state.exists()) state.get() else Held.nothing(step)
    val (answers, held) = before.release(step, arrived, timers.getCurrentWatermarkInMs())
    state.update(held)
    held.nextMs.foreach(getHandle.registerTimer)
    answers
  }
}

/** Readings count at once, in order within their micro-batch only. */
final class AsTheyArrive[S: Encoder](step: Step[S]) extends StatefulProcessor[Int, Reading, Answer] {
  @transient private var state: ValueState[S] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    state = getHandle.getValueState[S]("kept", implicitly[Encoder[S]], TTLConfig.NONE)

  override def handleInputRows(key: Int, arrived: Iterator[Reading], timers: TimerValues): Iterator[Answer] = {
    val kept = if (state.exists()) state.get() else step.empty
    val (answers, next) = step(kept, Held.inOrder(arrived))
    state.update(next)
    answers
  }
}
