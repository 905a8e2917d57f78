package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.csql.HeldMemory
import org.sparkcsql.kernel.SlidePass

/** Rows of many keys, each key's in order, and the pass of each key. */
private[batch] trait KeyedPasses extends Iterator[InternalRow] {

  /** The pass of a row's key; rows are asked about in the order in which they come. */
  def of(row: InternalRow): KeyedPasses.Pass
}

private[batch] object KeyedPasses {
  type Pass = SlidePass[InternalRow, InternalRow]
}

/** Rows in the order of [[Spot]]: a window is gone when its key has passed. */
private[batch] final class SortedPasses(
    key: Seq[Attribute],
    input: Seq[Attribute],
    rows: Iterator[InternalRow],
    create: () => KeyedPasses.Pass)
    extends KeyedPasses {
  private val passes = new ByKey[KeyedPasses.Pass](key, input, _ => create())

  override def hasNext: Boolean = rows.hasNext
  override def next(): InternalRow = rows.next()
  override def of(row: InternalRow): KeyedPasses.Pass = passes(row)
}

/**
 * Rows of all keys among each other: the windows of all keys are there at the same time. When Spark grants
 * them no more memory, the rest of the rows is sorted by key, and each window is gone when its key has passed.
 */
private[batch] final class MixedPasses(
    key: Seq[Attribute],
    input: Seq[Attribute],
    rows: Iterator[InternalRow],
    create: () => KeyedPasses.Pass)
    extends KeyedPasses {
  import MixedPasses._

  private val passes = PassMap(key, input)
  private val memory = HeldMemory()
  private var source = rows
  private var sorted: Option[ByKey[KeyedPasses.Pass]] = None
  private var untilCheck = Unchecked
  private var came = 0L
  private var bytes = 0L

  override def hasNext: Boolean = source.hasNext

  override def next(): InternalRow = {
    if (untilCheck == 0) {
      val asked = room - Unasked
      if (asked > 0 && !memory.grants(asked)) sortRest()
      // so seldom that looking at all keys costs little for each row
      untilCheck = Unchecked + passes.size
    }
    val row = source.next()
    if (sorted.isEmpty) {
      untilCheck -= 1
      came += 1
      bytes += row.asInstanceOf[UnsafeRow].getSizeInBytes
    }
    row
  }

  override def of(row: InternalRow): KeyedPasses.Pass = sorted match {
    case Some(byKey) => byKey(row)
    case None => passes.getOrElseUpdate(row, create)
  }

  /** What the windows take, in bytes, if they hold rows of the usual size. */
  private def room: Long = {
    val ofTuple = bytes / came + RoomOfTuple
    passes.values.map(_.size * ofTuple + RoomOfKey).sum
  }

  private def sortRest(): Unit = {
    memory.share()
    val hashOf = UnsafeProjection.create(Seq(new Murmur3Hash(key)), input)
    var number = 0L
    val sorter =
      SpillingSort(input, RowOrdering.create(key.map(SortOrder(_, Ascending)), input), distinct = true) {
        row =>
          number += 1
          Spot.of(hashOf(row).getInt(0), number)
      }
    source = sorter.sort(rows.asInstanceOf[Iterator[UnsafeRow]])
    sorted = Some(new ByKey(key, input, passes.remove(_).getOrElse(create())))
  }
}

private[batch] object MixedPasses {
  private val Unchecked = 1L << 13

  /** Bytes of a task that are too few to be asked for. */
  private val Unasked = 1L << 26
  private val RoomOfTuple = 80L
  private val RoomOfKey = 1024L
}
