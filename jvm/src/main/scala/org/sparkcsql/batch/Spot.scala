package org.sparkcsql.batch

import java.util.HashMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * One number to sort the rows of many keys by, each key's in order: some bits of the key's hash, then
 * the time, as well as the other bits can hold it. Rows differ in it mostly, so that sorting
 * need not look at the rows themselves.
 */
final case class Spot(left: Expression, right: Expression) extends BinaryExpression {
  override def dataType: DataType = LongType
  override def nullIntolerant: Boolean = true
  override protected def nullSafeEval(hash: Any, time: Any): Any =
    Spot.of(hash.asInstanceOf[Int], time.asInstanceOf[Long])
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(
      context,
      code,
      (hash, time) => s"${Spot.getClass.getName.stripSuffix("$")}.of($hash, $time)")
  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): Spot =
    copy(left = newLeft, right = newRight)
}

object Spot {
  private val TimeBits = 40
  private val Latest = (1L << (TimeBits - 1)) - 1
  private val Exact = 1L << (TimeBits - 3)
  private val Coarser = 13 // microseconds of our days fit

  def of(hash: Int, time: Long): Long =
    (group(hash) << TimeBits) | (coarse(time) & ((1L << TimeBits) - 1) ^ (1L << (TimeBits - 1)))

  /** Keys of equal hash, as far as it is looked at, lie among each other. */
  def group(hash: Int): Long = (hash >> (TimeBits - 32)).toLong

  /** Never decreases with the time. Small numbers are kept as they are, large ones lose some bits. */
  private def coarse(time: Long): Long =
    if (time > -Exact && time < Exact) time
    else if (time > 0) math.min(Exact + (time >> Coarser), Latest)
    else math.max(-Exact + (time >> Coarser), -Latest)

  /** The rows of each key in the order of `order`, keys in any order. */
  def exactly(key: Seq[Attribute], order: Seq[Attribute]): Seq[SortOrder] = {
    val rest = order.map(SortOrder(_, Ascending))
    if (key.isEmpty) rest
    else SortOrder(Spot(new Murmur3Hash(key), timeOf(order).getOrElse(Literal(0L))), Ascending) +: rest
  }

  /** What to ask Spark's sort for: one number alone it sorts fastest. [[InOrder]] does what is left. */
  def roughly(key: Seq[Attribute], order: Seq[Attribute]): Seq[SortOrder] = {
    val startsWithNumber = timeOf(order).isDefined && (key.nonEmpty || !order.head.nullable)
    if (startsWithNumber) exactly(key, order).take(1) else exactly(key, order)
  }

  /** What is missing comes first, as in Spark's order. */
  private def timeOf(order: Seq[Attribute]): Option[Expression] =
    order.headOption.filter(_.dataType == LongType).map { time =>
      if (time.nullable) Coalesce(Seq(time, Literal(Long.MinValue))) else time
    }
}

/** Something for each key, while rows come in the order of [[Spot]]: keys of equal hash come together. */
private[batch] final class ByKey[T <: AnyRef](
    key: Seq[Attribute],
    input: Seq[Attribute],
    create: UnsafeRow => T) {
  private val keyOf = UnsafeProjection.create(key, input)
  private val hashOf =
    if (key.isEmpty) None else Some(UnsafeProjection.create(Seq(new Murmur3Hash(key)), input))
  private val together = new HashMap[UnsafeRow, T]
  private var group = 0L
  private var current: UnsafeRow = null
  private var value: T = _

  def apply(row: InternalRow): T = {
    val found = keyOf(row)
    if (current == null || current != found)
      change(found, hashOf.fold(0L)(of => Spot.group(of(row).getInt(0))))
    value
  }

  private def change(found: UnsafeRow, itsGroup: Long): Unit = {
    if (itsGroup != group) together.clear()
    group = itsGroup
    current = found.copy()
    value = together.computeIfAbsent(current, create(_))
  }
}
