package org.sparkcsql.kernel

import java.util.ArrayDeque

import scala.jdk.CollectionConverters._

/** Items in a row that come and go at its ends; what holds them is up to the host. */
trait Sequence[T] {
  def length: Long
  def isEmpty: Boolean = length == 0
  def append(item: T): Unit
  def first: T
  def last: T
  def removeFirst(): Unit
  def removeLast(): Unit
  def forwards: Iterator[T]
  def backwards: Iterator[T]
  def clear(): Unit
}

/** A sequence in memory. */
final class HeapSequence[T] extends Sequence[T] {
  private val items = new ArrayDeque[T]

  override def length: Long = items.size
  override def append(item: T): Unit = items.addLast(item)
  override def first: T = items.getFirst
  override def last: T = items.getLast
  override def removeFirst(): Unit = items.removeFirst(): Unit
  override def removeLast(): Unit = items.removeLast(): Unit
  override def forwards: Iterator[T] = items.iterator.asScala
  override def backwards: Iterator[T] = items.descendingIterator.asScala
  override def clear(): Unit = items.clear()
}
