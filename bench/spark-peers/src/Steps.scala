package org.sparkcsql.bench

/** What a window does with the new readings of one key, and what it keeps for the next ones. */
trait Step[S] extends Serializable {
  def empty: S
  def apply(kept: S, arrived: Array[Reading]): (Iterator[Answer], S)
}

final case class LastLoads(loads: Array[Double])

/** The last so many readings of the key, at each reading. */
final class Slide(aggregate: Aggregate, window: Int) extends Step[LastLoads] {
  override def empty: LastLoads = LastLoads(Array.empty)

  override def apply(kept: LastLoads, arrived: Array[Reading]): (Iterator[Answer], LastLoads) = {
    val loads = kept.loads ++ arrived.map(_.load)
    val values = aggregate.slide(loads, kept.loads.length, window)
    val answers = arrived.indices.iterator.map(i => Answer(arrived(i).time, arrived(i).key, values(i)))
    (answers, LastLoads(loads.takeRight(window - 1)))
  }
}

final case class Seen(readings: Long, sum: Double)

/** The mean of the last readings at each so many readings, where the window is the shorter of the two. */
final class Jump(window: Int, every: Int) extends Step[Seen] {
  override def empty: Seen = Seen(0, 0)

  override def apply(kept: Seen, arrived: Array[Reading]): (Iterator[Answer], Seen) = {
    var Seen(readings, sum) = kept
    val answers = Array.newBuilder[Answer]
    for (reading <- arrived) {
      if (readings % every >= every - window) sum += reading.load
      readings += 1
      if (readings % every == 0) {
        answers += Answer(reading.time, reading.key, sum / window)
        sum = 0
      }
    }
    (answers.result().iterator, Seen(readings, sum))
  }
}

sealed trait Aggregate extends Serializable {

  /** Its values over the last loads, at each load from this one on. */
  def slide(loads: Array[Double], from: Int, window: Int): Array[Double]
}

object Aggregate {
  def apply(name: String): Aggregate = name match {
    case "AVG" => Mean
    case "MAX" => Maximum
  }

  private object Mean extends Aggregate {
    override def slide(loads: Array[Double], from: Int, window: Int): Array[Double] = {
      var sum = loads.view.take(from).sum
      Array.tabulate(loads.length - from) { i =>
        val at = from + i
        sum += loads(at)
        if (at >= window) sum -= loads(at - window)
        sum / math.min(at + 1, window)
      }
    }
  }

  private object Maximum extends Aggregate {
    override def slide(loads: Array[Double], from: Int, window: Int): Array[Double] = {
      val candidates = new Array[Int](loads.length) // places of falling loads
      var first, end = 0
      val values = new Array[Double](loads.length - from)
      for (at <- loads.indices) {
        while (end > first && loads(candidates(end - 1)) <= loads(at)) end -= 1
        candidates(end) = at
        end += 1
        if (candidates(first) <= at - window) first += 1
        if (at >= from) values(at - from) = loads(candidates(first))
      }
      values
    }
  }
}
