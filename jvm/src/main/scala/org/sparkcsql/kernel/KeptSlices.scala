package org.sparkcsql.kernel

import scala.collection.mutable.ArrayBuffer

/** A window of few slices: they are kept in one piece, and added up anew for each answer. */
final class KeptSlices[A](reach: Reach, aggregation: Aggregation[A, A], codec: Codec[A], places: Codec[Place])
    extends KeptParts[A] {

  /** In the order in which evaluations see them. */
  private val slices = new ArrayBuffer[Item[A]](4)

  /** How many of them the last evaluation saw. */
  private var seen = 0

  override def openAt(place: Place): A =
    if (slices.nonEmpty && slices.last.place == place) slices.last.row else null.asInstanceOf[A]

  override def insert(place: Place, row: A): Unit =
    if (slices.nonEmpty && slices.last.place == place) aggregation.merge(slices.last.row, row)
    else slices += Item(place, row)

  override def advance(atSeq: Long, atTime: Long): Unit = {
    while (seen < slices.length && {
        val place = slices(seen).place
        reach.arrived(place.enter, place.time, atSeq, atTime)
      }) seen += 1
    var gone = 0
    while (gone < seen && reach.gone(slices(gone).place.leave, slices(gone).place.time, atSeq, atTime))
      gone += 1
    slices.dropInPlace(gone)
    seen -= gone
  }

  override def isEmpty: Boolean = seen == 0
  override def isForgotten: Boolean = slices.isEmpty

  override def current: A =
    if (seen == 1) slices.head.row
    else {
      val total = aggregation.create()
      var i = 0
      while (i < seen) {
        aggregation.merge(total, slices(i).row)
        i += 1
      }
      total
    }

  override def save(to: ByteWriter): Unit = {
    to.putInt(seen)
    to.putInt(slices.length)
    slices.foreach { slice =>
      places.write(slice.place, to)
      codec.write(slice.row, to)
    }
  }

  override def load(from: ByteReader): Unit = {
    seen = from.getInt
    slices.clear()
    (0 until from.getInt).foreach(_ => slices += Item(places.read(from), codec.read(from)))
  }
}

object KeptSlices {

  /** More slices than these are better read one by one. */
  val Most = 32
}
