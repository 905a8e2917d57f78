package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel._

/** The rows of tuples that a lagging window does not show yet. */
private[stream] final class DelayLine(fields: Int, shelf: Shelf) {
  private val items =
    new ChunkedSequence[Item[UnsafeRow]](
      shelf,
      new ItemCodec(new PlaceCodec(enter = true, leave = true, time = true), new RowCodec(fields)))

  def isEmpty: Boolean = items.isEmpty

  def add(place: Place, tuple: TupleRows, passes: UnsafeRow => Boolean): Unit =
    tuple.foreach(row => if (passes(row)) items.append(Item(place, row.copy())))

  /** Takes out what an arrival shows; what would be gone at once is left out. */
  def shown(reach: Reach, atSeq: Long, atTime: Long): ArrayBuffer[(Place, UnsafeRow)] = {
    val entering = new ArrayBuffer[(Place, UnsafeRow)]
    while (!items.isEmpty && reach.arrived(items.first.place.enter, items.first.place.time, atSeq, atTime)) {
      val Item(place, row) = items.first
      if (!reach.gone(place.leave, place.time, atSeq, atTime)) entering += ((place, row))
      items.removeFirst()
    }
    entering
  }

  def save(to: ByteWriter): Unit = items.save(to)
  def load(from: ByteReader): Unit = items.load(from)
}

private[stream] object DelayLine {

  /** The number of this sequence among those of a key; windows use the first ones. */
  val Part = 100
}
