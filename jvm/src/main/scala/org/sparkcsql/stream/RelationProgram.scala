package org.sparkcsql.stream

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.sparkcsql.kernel.{ByteReader, ByteWriter, Shelf}
import org.sparkcsql.plan.StreamProgram

/**
 * Several windows as relations that change. What is saved are the windows and where the clock
 * stands. The operators over them stay in memory from one micro-batch to the next; where they are
 * not, as after a restart, they are made again from the windows.
 *
 * @param make everything that lives for a key
 * @param memory what holds living relations between micro-batches
 */
private[sparkcsql] final class RelationProgram(
    make: () => LiveRelations,
    shelf: (Array[Byte], Int) => Shelf,
    memory: RelationMemory,
    emit: InternalRow => Unit)
    extends KeyProgram {
  private var owner: Array[Byte] = Array.emptyByteArray
  private var current: LiveRelations = _

  private def live: LiveRelations = {
    if (current == null) begin(make())
    current
  }

  private def begin(relations: LiveRelations): Unit = {
    current = relations
    current.bind(shelf(owner, _), emit)
  }

  override def open(key: UnsafeRow): Unit = {
    owner = key.getBytes
    current = null
  }

  override def load(from: ByteReader): Unit = {
    val stamp = from.getLong
    memory.take(owner, stamp) match {
      case Some(relations) => begin(relations)
      case None => live.load(from)
    }
  }

  override def save(to: ByteWriter): Unit = {
    val stamp = Random.nextLong()
    to.putLong(stamp)
    live.save(to)
    memory.put(owner, stamp, live)
  }

  override def tuple(tuple: TupleRows): Unit = live.tuple(tuple)
  override def advance(watermark: Long): Unit = live.advance(watermark)
  override def isForgotten: Boolean = false
  override def deadline: Option[Long] = Some(live.next).filter(_ < Long.MaxValue)
}

private[sparkcsql] object RelationProgram {

  /** @param run what tells one run of a query's operator from all others; none on tables, which have no state */
  def apply(
      program: StreamProgram.Relations,
      spec: StreamSpec,
      input: Seq[Attribute],
      tables: Array[InternalRow],
      partition: Int,
      run: Option[String],
      shelf: (Array[Byte], Int) => Shelf,
      emit: InternalRow => Unit): RelationProgram = new RelationProgram(
    () => new LiveRelations(program, spec, input, tables, partition, keeps = run.isDefined),
    shelf,
    run.fold[RelationMemory](NoMemory)(new RunMemory(_, partition)),
    emit
  )
}
