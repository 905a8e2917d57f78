package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/** Cuts rows that are sorted by a key into one iterator a key. Each is to be read before the next is asked for. */
private[batch] object KeyedRows {
  def apply(
      rows: Iterator[InternalRow],
      keyOf: UnsafeProjection): Iterator[(UnsafeRow, Iterator[InternalRow])] =
    new Iterator[(UnsafeRow, Iterator[InternalRow])] {
      private val source = rows.buffered
      private var group: Iterator[InternalRow] = Iterator.empty

      override def hasNext: Boolean = {
        group.foreach(_ => ())
        source.hasNext
      }

      override def next(): (UnsafeRow, Iterator[InternalRow]) = {
        if (!hasNext) throw new NoSuchElementException
        val key = keyOf(source.head).copy()
        group = new Iterator[InternalRow] {
          override def hasNext: Boolean = source.hasNext && keyOf(source.head) == key
          override def next(): InternalRow = source.next()
        }
        (key, group)
      }
    }
}
