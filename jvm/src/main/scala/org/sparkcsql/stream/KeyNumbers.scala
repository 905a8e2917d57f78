package org.sparkcsql.stream

import java.util.HashMap

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** Numbers the keys of rows in the order in which they come, up to so many; -1: it is one of too many. */
private[stream] trait KeyNumbers {
  def of(row: UnsafeRow): Int
}

private[stream] object KeyNumbers {
  def apply(key: Seq[Attribute], input: Seq[Attribute], most: Int): KeyNumbers = key match {
    case Nil => _ => 0
    case Seq(column) =>
      val ordinal = input.indexWhere(_.exprId == column.exprId)
      reader(column.dataType, ordinal).fold[KeyNumbers](new OfRows(key, input, most))(read =>
        new OfIntegers(ordinal, read, most))
    case _ => new OfRows(key, input, most)
  }

  private def reader(of: DataType, ordinal: Int): Option[UnsafeRow => Long] = of match {
    case IntegerType | DateType => Some(_.getInt(ordinal).toLong)
    case LongType | TimestampType | TimestampNTZType => Some(_.getLong(ordinal))
    case _ => None
  }

  /** One column of integers is looked up as it is. */
  private final class OfIntegers(ordinal: Int, read: UnsafeRow => Long, most: Int) extends KeyNumbers {
    private val numbers = new mutable.LongMap[Integer]
    private var ofNull = -1
    private var next = 0

    override def of(row: UnsafeRow): Int =
      if (row.isNullAt(ordinal)) {
        if (ofNull < 0) ofNull = number()
        ofNull
      } else {
        val value = read(row)
        val known = numbers.getOrNull(value)
        if (known != null) known.intValue
        else {
          val own = number()
          if (own >= 0) numbers.update(value, own)
          own
        }
      }

    private def number(): Int =
      if (next == most) -1
      else {
        next += 1
        next - 1
      }
  }

  private final class OfRows(key: Seq[Attribute], input: Seq[Attribute], most: Int) extends KeyNumbers {
    private val keyOf = UnsafeProjection.create(key, input)
    private val numbers = new HashMap[UnsafeRow, Integer]

    override def of(row: UnsafeRow): Int = {
      val own = keyOf(row)
      val known = numbers.get(own)
      if (known != null) known.intValue
      else if (numbers.size == most) -1
      else {
        val next = numbers.size
        numbers.put(own.copy(), next)
        next
      }
    }
  }
}
