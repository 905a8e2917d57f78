package org.sparkcsql.kernel

/** A tuple of the random cases: its number, its time, its substream and its value. */
final case class Tuple(number: Int, time: Long, substream: Int, value: String)

/**
 * The windows of the language, computed straight from their definitions. Values are strings and
 * aggregation is concatenation, so that a lost, doubled or misplaced tuple always shows.
 */
object NaiveWindows {
  def tuplesAt(stream: Seq[Tuple], count: Long, lag: Long)(seq: Long): Seq[Tuple] =
    stream.filter(t => t.number > seq - lag - count && t.number <= seq - lag)

  def timeAt(stream: Seq[Tuple], length: Long, lag: Long)(seq: Long, time: Long): Seq[Tuple] =
    stream.filter(t => t.number <= seq && t.time > time - lag - length && t.time <= time - lag)

  def partitionedAt(stream: Seq[Tuple], count: Int)(seq: Long): Seq[Tuple] =
    stream.filter(
      _.number <= seq).groupBy(_.substream).values.flatMap(_.takeRight(count)).toSeq.sortBy(_.number)

  def concatenated(tuples: Seq[Tuple]): String = tuples.map(_.value).mkString
}

/** Concatenation: associative, not commutative, not invertible. */
object Concatenation extends Aggregation[Tuple, StringBuilder] {
  override def create(): StringBuilder = new StringBuilder
  override def add(accumulator: StringBuilder, row: Tuple): Unit = accumulator.append(row.value)
  override def merge(older: StringBuilder, newer: StringBuilder): Unit = older.append(newer)
  override def copy(accumulator: StringBuilder): StringBuilder = new StringBuilder(accumulator.toString)
}

/** Concatenation in slots. A slot is never read before it was created, and never shared. */
final class PackedConcatenation extends PackedAggregation[Tuple, StringBuilder] {
  private var slots = new Array[StringBuilder](0)
  override def reserve(count: Int): Unit = slots = java.util.Arrays.copyOf(slots, count)
  override def create(slot: Int): Unit = slots(slot) = Concatenation.create()
  override def add(slot: Int, row: Tuple): Unit = Concatenation.add(slots(slot), row)
  override def merge(older: Int, newer: Int): Unit = Concatenation.merge(slots(older), slots(newer))
  override def copy(from: Int, to: Int): Unit = slots(to) = Concatenation.copy(slots(from))
  override def read(slot: Int): StringBuilder = slots(slot)
}
