package org.sparkcsql.bench

/** What is kept for a key in event time: readings that the watermark has not passed, and the windows behind it. */
final case class Held[S](waiting: Array[Reading], kept: S) {

  /** The answers at the readings that are due, and what is held after them. */
  def release(step: Step[S], arrived: Iterator[Reading], watermarkMs: Long): (Iterator[Answer], Held[S]) = {
    val (due, later) = Held.inOrder(waiting.iterator ++ arrived).span(_.time < watermarkMs * 1000)
    val (answers, next) = step(kept, due)
    (answers, Held(later, next))
  }

  /** When the first waiting reading is due. */
  def nextMs: Option[Long] = waiting.headOption.map(_.time / 1000 + 1)
}

object Held {
  def nothing[S](step: Step[S]): Held[S] = Held(Array.empty, step.empty)

  def inOrder(arrived: Iterator[Reading]): Array[Reading] = arrived.toArray.sortBy(_.time)
}
