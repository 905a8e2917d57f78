package org.sparkcsql.kernel

/** Places in memory, side by side in a ring of numbers, so that no object is kept for a tuple. */
final class PackedPlaces extends Sequence[Place] {
  import PackedPlaces._

  private var memory = new Array[Long](Fewest * Numbers)
  private var start = 0L
  private var end = 0L

  override def length: Long = end - start

  override def append(place: Place): Unit = {
    if (length * Numbers == memory.length) grow()
    val at = slot(end)
    memory(at) = place.enter
    memory(at + 1) = place.leave
    memory(at + 2) = place.time
    end += 1
  }

  override def first: Place = read(start)
  override def last: Place = read(end - 1)
  override def removeFirst(): Unit = start += 1
  override def removeLast(): Unit = end -= 1
  override def forwards: Iterator[Place] = Iterator.range(0, length.toInt).map(i => read(start + i))
  override def backwards: Iterator[Place] = Iterator.range(0, length.toInt).map(i => read(end - 1 - i))
  override def clear(): Unit = start = end

  private def read(number: Long): Place = {
    val at = slot(number)
    Place(memory(at), memory(at + 1), memory(at + 2))
  }

  /** The ring has room for a power of two. */
  private def slot(number: Long): Int = (number & (memory.length / Numbers - 1)).toInt * Numbers

  private def grow(): Unit = {
    val larger = new Array[Long](Math.multiplyExact(memory.length, 2))
    val (from, held) = (slot(start), memory.length)
    System.arraycopy(memory, from, larger, 0, held - from)
    System.arraycopy(memory, 0, larger, held - from, from)
    end -= start
    start = 0
    memory = larger
  }
}

private object PackedPlaces {
  val Numbers = 4 // of a place; the last one is free, so that slots are found by shifting
  val Fewest = 16
}
