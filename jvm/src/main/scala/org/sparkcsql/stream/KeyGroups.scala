package org.sparkcsql.stream

import java.nio.ByteBuffer
import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.sparkcsql.kernel.{ByteReader, ByteWriter, ChunkedSequence}

/** The groups of one key. */
private[stream] trait KeyGroups {
  def open(key: Array[Byte]): Unit
  def of(group: UnsafeRow): Group

  /** All groups with their values; to be read to the end. */
  def all: Iterator[(UnsafeRow, Group)]

  /** Forgets groups whose windows are empty; called after all of them have been brought up to date. */
  def prune(): Unit

  /** Whether enough groups have come since the last pruning for another one to pay. */
  def wantsPruning: Boolean
  def isForgotten: Boolean
  def save(to: ByteWriter): Unit
  def load(from: ByteReader): Unit
}

/** The key is the group: its window is stored with the key. */
private[stream] final class OneGroup(factory: GroupFactory, shelf: StateShelf) extends KeyGroups {
  private var group: Group = null

  override def open(key: Array[Byte]): Unit =
    group = factory.make(part => shelf.of(StateKind.KeyParts + part, key))
  override def of(values: UnsafeRow): Group = group
  override def all: Iterator[(UnsafeRow, Group)] = Iterator((OneGroup.values, group))
  override def prune(): Unit = ()
  override def wantsPruning: Boolean = false
  override def isForgotten: Boolean = group.isForgotten
  override def save(to: ByteWriter): Unit = group.save(to)
  override def load(from: ByteReader): Unit = group.load(from)
}

private[stream] object OneGroup {

  /** What tells the group of a key from others of it. */
  val values: UnsafeRow = new UnsafeRow(0)
  values.pointTo(Array.emptyByteArray, 0)
}

/** A key has many groups: each window is stored on its own and read when it is wanted. */
private[stream] final class ManyGroups(factory: GroupFactory, fields: Int, shelf: StateShelf)
    extends KeyGroups {
  private final class Member(
      val values: UnsafeRow,
      val group: Group,
      val owner: Array[Byte],
      val stored: Array[Byte])

  private var key: Array[Byte] = null
  private var directory: ChunkedSequence[Array[Byte]] = null
  private val members = mutable.LinkedHashMap.empty[UnsafeRow, Member]
  private var alive = 0L

  override def open(key: Array[Byte]): Unit = {
    this.key = key
    members.clear()
    alive = 0
    directory = new ChunkedSequence(shelf.of(StateKind.KeyParts, key), BytesCodec)
  }

  private def owner(group: Array[Byte]): Array[Byte] =
    ByteBuffer.allocate(4 + key.length + group.length).putInt(key.length).put(key).put(group).array

  override def of(values: UnsafeRow): Group = members.get(values) match {
    case Some(member) => member.group
    case None => join(values.copy()).group
  }

  private def join(values: UnsafeRow): Member = {
    val bytes = values.getBytes
    val own = owner(bytes)
    val group = factory.make(part => shelf.of(StateKind.GroupParts + part, own))
    val stored = shelf.get(StateKind.Group, own, 0)
    if (stored == null) directory.append(bytes) else group.load(new ByteReader(stored))
    val member = new Member(values, group, own, stored)
    members.put(values, member)
    member
  }

  private def everyone: Iterator[Member] = directory.forwards.map { bytes =>
    val values = RowCodec.read(Arrays.copyOf(bytes, bytes.length), fields)
    members.getOrElse(values, join(values))
  }

  override def all: Iterator[(UnsafeRow, Group)] = everyone.map(member => (member.values, member.group))

  override def wantsPruning: Boolean = directory.length > 2 * alive + 16

  override def prune(): Unit = {
    val (gone, kept) = everyone.toArray.partition(_.group.isForgotten)
    alive = kept.length
    if (gone.nonEmpty) {
      gone.foreach { member =>
        members.remove(member.values)
        shelf.remove(StateKind.Group, member.owner, 0)
      }
      directory.clear()
      kept.foreach(member => directory.append(member.values.getBytes))
    }
  }

  override def isForgotten: Boolean = directory.isEmpty

  override def save(to: ByteWriter): Unit = {
    members.valuesIterator.foreach { member =>
      val piece = new ByteWriter
      member.group.save(piece)
      shelf.put(StateKind.Group, member.owner, piece, member.stored)
    }
    to.putLong(alive)
    directory.save(to)
  }

  override def load(from: ByteReader): Unit = {
    alive = from.getLong
    directory.load(from)
  }
}
