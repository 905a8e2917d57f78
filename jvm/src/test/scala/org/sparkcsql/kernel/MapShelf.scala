package org.sparkcsql.kernel

import scala.collection.mutable

/** A shelf in memory, on which nothing is removed that was never put. */
private[kernel] final class MapShelf extends Shelf {
  val pieces = mutable.LongMap.empty[Array[Byte]]
  override def get(no: Long): Array[Byte] = pieces.getOrElse(no, null)
  override def put(no: Long, piece: Array[Byte]): Unit = pieces(no) = piece
  override def remove(no: Long): Unit = {
    assert(pieces.contains(no), s"chunk $no is removed, but was never put")
    pieces.remove(no): Unit
  }
}
