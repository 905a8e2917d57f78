package org.sparkcsql.batch

import java.util.HashMap

import scala.collection.mutable.LongMap
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._

/** The passes of all keys. */
private sealed trait PassMap {
  def size: Int
  def values: Iterator[KeyedPasses.Pass]
  def getOrElseUpdate(row: InternalRow, create: () => KeyedPasses.Pass): KeyedPasses.Pass

  /** Takes out the pass of a key. */
  def remove(key: UnsafeRow): Option[KeyedPasses.Pass]
}

private object PassMap {
  def apply(key: Seq[Attribute], input: Seq[Attribute]): PassMap = key match {
    case Seq(number) if isNumber(number.dataType) =>
      new PassesByNumber(input.indexWhere(_.exprId == number.exprId), number.dataType)
    case _ => new PassesByRow(UnsafeProjection.create(key, input))
  }

  private def isNumber(of: DataType): Boolean = of match {
    case IntegerType | LongType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }
}

private final class PassesByRow(keyOf: UnsafeProjection) extends PassMap {
  private val passes = new HashMap[UnsafeRow, KeyedPasses.Pass]

  override def size: Int = passes.size
  override def values: Iterator[KeyedPasses.Pass] = passes.values.iterator.asScala

  override def getOrElseUpdate(row: InternalRow, create: () => KeyedPasses.Pass): KeyedPasses.Pass = {
    val own = keyOf(row)
    val known = passes.get(own)
    if (known != null) known
    else {
      val made = create()
      passes.put(own.copy(), made)
      made
    }
  }

  override def remove(key: UnsafeRow): Option[KeyedPasses.Pass] = Option(passes.remove(key))
}

/** For keys of one number, which need not be looked at as rows. */
private final class PassesByNumber(ordinal: Int, dataType: DataType) extends PassMap {
  private val passes = new LongMap[KeyedPasses.Pass]
  private var ofNull: Option[KeyedPasses.Pass] = None
  private val short = dataType == IntegerType || dataType == DateType

  private def number(row: InternalRow, at: Int): Long = if (short) row.getInt(at) else row.getLong(at)

  override def size: Int = passes.size + ofNull.size
  override def values: Iterator[KeyedPasses.Pass] = passes.valuesIterator ++ ofNull

  override def getOrElseUpdate(row: InternalRow, create: () => KeyedPasses.Pass): KeyedPasses.Pass =
    if (row.isNullAt(ordinal)) {
      if (ofNull.isEmpty) ofNull = Some(create())
      ofNull.get
    } else {
      val own = number(row, ordinal)
      val known = passes.getOrNull(own)
      if (known != null) known
      else {
        val made = create()
        passes.update(own, made)
        made
      }
    }

  override def remove(key: UnsafeRow): Option[KeyedPasses.Pass] =
    if (key.isNullAt(0)) {
      val found = ofNull
      ofNull = None
      found
    } else passes.remove(number(key, 0))
}
