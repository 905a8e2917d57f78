package org.sparkcsql.stream

import java.util.LinkedHashSet

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The keys whose deadline has passed, each with its state. To look a key up costs a state store
 * several times what the next row of a scan costs; so when a good part of all keys is due, as at
 * a tick for which every key has tuples, they are scanned. What else the state holds may be many
 * times as much, so a scan that has not found them soon is given up.
 *
 * @param all how many keys the state holds
 */
private[stream] final class DueKeys(
    shelf: StoreShelf,
    due: collection.Seq[Array[Byte]],
    all: Long,
    fields: Int) {
  private val left = new LinkedHashSet[UnsafeRow]
  due.foreach(key => left.add(RowCodec.read(key, fields)))

  private lazy val scanned: Iterator[(Array[Byte], Array[Byte])] =
    if (left.size * DueKeys.ScanFactor < all) Iterator.empty
    else shelf.owners(StateKind.Key, most = left.size * DueKeys.ScanFactor * DueKeys.PiecesOfKey)
  private var found: Array[Byte] = null

  /** Takes a key out that is answered with its tuples. */
  def remove(key: UnsafeRow): Unit = left.remove(key)

  def hasNext: Boolean = !left.isEmpty

  def next(): UnsafeRow = {
    var key: UnsafeRow = null
    while (key == null && scanned.hasNext) {
      val (owner, state) = scanned.next()
      val candidate = RowCodec.read(owner, fields)
      if (left.remove(candidate)) {
        key = candidate
        found = state
      }
    }
    if (key == null) {
      key = left.iterator.next()
      left.remove(key)
      found = shelf.get(StateKind.Key, key.getBytes, 0)
    }
    key
  }

  /** The state of the key that was given last. */
  def state: Array[Byte] = found
}

private object DueKeys {
  val ScanFactor = 3
  val PiecesOfKey = 4
}
