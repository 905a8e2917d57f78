package org.sparkcsql.kernel.changes

import java.util.{ArrayDeque, HashMap, LinkedHashSet}

import scala.jdk.CollectionConverters._

import org.sparkcsql.kernel._

/** `[Partition By a Rows n]`: the last tuples of each substream. A substream that is touched is saved whole. */
final class PartitionedContents[R <: AnyRef](
    count: Long,
    lag: Long,
    keyOf: R => AnyRef,
    keeping: Keeping[R],
    out: Receiver[R])
    extends Contents[R] {
  private final class Lane(val number: Long) {
    val (coming, inside) = (new ArrayDeque[Held[R]], new ArrayDeque[Held[R]])
  }
  private val lanes = new HashMap[AnyRef, Lane]
  private val touched = new LinkedHashSet[Lane]

  override def arrive(tuple: Held[R]): Unit = {
    val lane = lanes.computeIfAbsent(keyOf(tuple.row), _ => new Lane(lanes.size))
    touched.add(lane)
    lane.coming.addLast(tuple)
    if (lane.coming.size > lag) {
      if (lane.inside.size == count) {
        val oldest = lane.inside.pollFirst()
        out.delete(oldest.id, oldest.row)
      }
      val next = lane.coming.pollFirst()
      lane.inside.addLast(next)
      out.insert(next.id, next.row)
    }
  }

  override def held: Iterator[Held[R]] =
    lanes.values.asScala.toArray.sortBy(_.number).iterator.flatMap(_.inside.iterator.asScala)

  override def save(to: ByteWriter): Unit = {
    to.putLong(lanes.size)
    touched.forEach { lane =>
      val piece = new ByteWriter
      Seq(lane.coming, lane.inside).foreach { tuples =>
        piece.putInt(tuples.size)
        tuples.forEach(keeping.codec.write(_, piece))
      }
      keeping.pieces.put(lane.number, piece.result)
    }
    touched.clear()
  }

  override def load(from: ByteReader): Unit = (0L until from.getLong).foreach { number =>
    val piece = new ByteReader(keeping.pieces.get(number))
    val lane = new Lane(number)
    Seq(lane.coming, lane.inside).foreach { tuples =>
      (0 until piece.getInt).foreach(_ => tuples.addLast(keeping.codec.read(piece)))
    }
    val any = if (lane.inside.isEmpty) lane.coming.getFirst else lane.inside.getFirst
    lanes.put(keyOf(any.row), lane)
  }
}
