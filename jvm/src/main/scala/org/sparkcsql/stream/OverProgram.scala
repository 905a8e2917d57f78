package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeRow}
import org.sparkcsql.kernel._
import org.sparkcsql.plan.OverFrame

/**
 * Spark's window functions, row by row. Rows of equal order are looked at together, because a frame
 * by range sees them all; they always come in one micro-batch, since equal times do.
 */
private[stream] final class OverProgram(
    frames: Seq[(OverFrame, GroupFactory)],
    peersOf: UnsafeRow => UnsafeRow,
    shelf: (Array[Byte], Int) => Shelf,
    emit: (UnsafeRow, InternalRow) => Unit)
    extends KeyProgram {
  private val width = frames.map(_._2.resultAttributes.length)
  private val starts = width.scanLeft(0)(_ + _)
  private val values = new GenericInternalRow(width.sum)
  private val byTimeOnly = frames.forall(_._1.span.isInstanceOf[Span.Time])

  private val peers = new ArrayBuffer[TupleRows]
  private var order: UnsafeRow = null
  private var windows: Seq[Group] = Nil
  private var count = 0L
  private var last = Long.MinValue

  override def open(key: UnsafeRow): Unit = {
    val owner = key.getBytes
    windows = frames.zipWithIndex.map { case ((_, factory), i) =>
      factory.make(part => shelf(owner, 4 * i + part))
    }
    count = 0
    last = Long.MinValue
  }

  override def load(from: ByteReader): Unit = {
    count = from.getLong
    last = from.getLong
    windows.foreach(_.load(from))
  }

  override def tuple(tuple: TupleRows): Unit = {
    val own = peersOf(tuple.first)
    if (own != order) {
      answer()
      order = own.copy()
    }
    peers += new TupleRows(tuple.first.copy(), Nil, tuple.time)
  }

  override def advance(watermark: Long): Unit = {
    answer()
    order = null
    if (deadline.exists(_ < watermark)) windows.foreach(_.advance(count, watermark))
  }

  private def answer(): Unit = if (peers.nonEmpty) {
    last = peers.head.time
    var number = count
    frames.indices.filter(i => frames(i)._1.peers).foreach { i =>
      number = count
      peers.foreach { peer =>
        number += 1
        windows(i).insert(frames(i)._1.span.place(number, peer.time), peer.first)
      }
      look(i, number)
    }
    peers.foreach { peer =>
      count += 1
      frames.indices.filterNot(i => frames(i)._1.peers).foreach { i =>
        windows(i).insert(frames(i)._1.span.place(count, peer.time), peer.first)
        look(i, count)
      }
      emit(peer.first, values)
    }
    peers.clear()
  }

  private def look(frame: Int, atSeq: Long): Unit = {
    windows(frame).advance(atSeq, last)
    val results = windows(frame).values
    val types = frames(frame)._2.resultAttributes
    var i = 0
    while (i < types.length) {
      values.update(starts(frame) + i, InternalRow.copyValue(results.get(i, types(i).dataType)))
      i += 1
    }
  }

  override def isForgotten: Boolean = byTimeOnly && windows.forall(_.isForgotten)

  override def deadline: Option[Long] =
    if (!byTimeOnly || last == Long.MinValue) None
    else {
      val spans = frames.map(_._1.span).collect { case span: Span.Time => span }
      Some(spans.map(span => KeyProgram.emptyBy(last, span.lag, span.length)).max)
    }

  override def save(to: ByteWriter): Unit = {
    to.putLong(count)
    to.putLong(last)
    windows.foreach(_.save(to))
  }
}
