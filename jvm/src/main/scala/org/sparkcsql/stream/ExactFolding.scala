package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.sparkcsql.kernel.changes.Folding
import org.sparkcsql.plan.WindowedFunction

/** A function that counts and adds whole numbers, so that rows can be taken out of it again, exactly. */
private final class ExactFunction(
    arguments: Seq[Expression],
    filter: Option[Expression],
    adds: Boolean,
    finish: (Long, Long) => Any) {

  def change(buffer: Array[Long], at: Int, row: InternalRow, by: Int): Unit =
    if (filter.forall(_.eval(row) == true)) {
      val values = arguments.map(_.eval(row))
      if (!values.contains(null)) {
        buffer(at) += by
        if (adds) buffer(at + 1) += by * values.head.asInstanceOf[Number].longValue
      }
    }

  def result(buffer: Array[Long], at: Int): Any = finish(buffer(at), buffer(at + 1))
}

private object ExactFunction {

  /** The function, if it is one of them; its arguments refer to columns by their places. */
  def of(function: WindowedFunction): Option[ExactFunction] = function.function match {
    case _ if function.distinct => None
    case Count(arguments) =>
      Some(new ExactFunction(arguments, function.filter, adds = false, (count, _) => count))
    case sum: Sum if isSmall(sum.child) =>
      Some(new ExactFunction(
        Seq(sum.child),
        function.filter,
        adds = true,
        (count, total) => if (count == 0) null else total))
    case average: Average if isSmall(average.child) =>
      Some(new ExactFunction(
        Seq(average.child),
        function.filter,
        adds = true,
        (count, total) => if (count == 0) null else total.toDouble / count))
    case _ => None
  }

  /** Whether so many values as there are rows cannot leave the range of a sum. */
  private def isSmall(argument: Expression): Boolean = argument.dataType match {
    case ByteType | ShortType | IntegerType => true
    case _ => false
  }
}

/** Groups of such functions alone: no row of them is kept. */
private final class ExactFolding(functions: Array[ExactFunction], types: Seq[DataType], keys: Int)
    extends Folding[UnsafeRow, Array[Long]] {
  private val project = UnsafeProjection.create(types.toArray)
  private val values = new GenericInternalRow(functions.length)
  private val joined = new JoinedRow
  require(keys + functions.length == types.length, "a group has keys and values")

  override def create(): Array[Long] = new Array[Long](2 * functions.length)
  override def add(buffer: Array[Long], row: UnsafeRow): Unit = change(buffer, row, 1)
  override def removes: Boolean = true
  override def remove(buffer: Array[Long], row: UnsafeRow): Unit = change(buffer, row, -1)

  private def change(buffer: Array[Long], row: UnsafeRow, by: Int): Unit = {
    var i = 0
    while (i < functions.length) {
      functions(i).change(buffer, 2 * i, row, by)
      i += 1
    }
  }

  override def result(key: UnsafeRow, buffer: Array[Long]): UnsafeRow = {
    var i = 0
    while (i < functions.length) {
      values.update(i, functions(i).result(buffer, 2 * i))
      i += 1
    }
    project(joined(key, values)).copy()
  }
}
