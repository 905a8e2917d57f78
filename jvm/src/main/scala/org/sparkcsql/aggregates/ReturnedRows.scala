package org.sparkcsql.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{Generate, LogicalPlan}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.sparkcsql.errors.CsqlErrors

/**
 * The rows that calls returned, beside each other. Calls return one row each; one of them may return
 * another number of rows, and then there are so many.
 */
final case class ReturnedRows(names: Seq[String], lists: Seq[Expression])
    extends Generator
    with CodegenFallback {
  override def children: Seq[Expression] = lists
  private def types: Seq[DataType] = lists.map(_.dataType.asInstanceOf[ArrayType].elementType)

  override def elementSchema: StructType = StructType(
    StructField("place", IntegerType, nullable = false) +:
      types.zipWithIndex.map { case (dataType, i) => StructField(s"value$i", dataType) })

  override def eval(input: InternalRow): IterableOnce[InternalRow] = {
    val found = lists.map(_.eval(input).asInstanceOf[ArrayData])
    // a call that has not run, over no tuples
    if (found.contains(null)) Iterator.empty else beside(found)
  }

  private def beside(found: Seq[ArrayData]): Iterator[InternalRow] = {
    val lengths = found.map(_.numElements())
    val others = lengths.indices.filter(lengths(_) != 1)
    if (others.length > 1)
      throw CsqlErrors.runtime(
        "CSQL_AGGREGATE_ROWS",
        "first" -> s"${names(others.head)} returned ${lengths(others.head)} rows",
        "second" -> s"${names(others(1))} ${lengths(others(1))}"
      )
    val count = others.headOption.fold(1)(lengths)
    (0 until count).iterator.map { row =>
      val values = found.indices.map { i =>
        val at = if (others.contains(i)) row else 0
        found(i).get(at, types(i))
      }
      new GenericInternalRow((row +: values).toArray[Any]): InternalRow
    }
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): ReturnedRows =
    copy(lists = newChildren)
}

/**
 * Where lists of returned rows become rows.
 *
 * @param place the order of the rows that come from one list
 */
final case class Returning(names: Seq[String], values: Seq[Attribute], place: Attribute) {
  def over(lists: Seq[Expression], plan: LogicalPlan): LogicalPlan =
    Generate(ReturnedRows(names, lists), Nil, outer = false, None, place +: values, plan)
}

object Returning {

  /** Rows for the calls among some functions, if there are any. */
  def of(calls: Seq[UserAggregate]): Option[Returning] =
    if (calls.isEmpty) None
    else
      Some(
        Returning(
          calls.map(_.name),
          calls.map(call => AttributeReference("value", call.programs.any.returns)()),
          AttributeReference("place", IntegerType, nullable = false)()))
}
