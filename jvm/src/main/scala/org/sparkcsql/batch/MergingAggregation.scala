package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.sparkcsql.kernel.Aggregation

/** The functions that Spark defines by expressions, all in one buffer row, run by generated code. */
private[sparkcsql] final class MergingAggregation(
    aggregates: Seq[AggregateExpression],
    input: Seq[Attribute],
    partials: Boolean)
    extends Aggregation[InternalRow, InternalRow] {

  private val functions = aggregates.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])
  private val buffer = functions.flatMap(_.aggBufferAttributes)
  private val otherBuffer = functions.flatMap(_.inputAggBufferAttributes)
  val rows = new BufferRows(buffer.map(_.dataType), functions.flatMap(_.initialValues))

  private val code = {
    def merging = functions.flatMap(_.mergeExpressions)
    val updating =
      if (partials) merging else aggregates.zip(functions).flatMap { case (a, f) => guarded(a, f) }
    val generated =
      if (rows.flat && functions.forall(merges)) BufferCode(buffer, otherBuffer, input, updating, merging)
      else None
    generated.getOrElse(new ProjectedBuffers(buffer, otherBuffer, input, updating, merging))
  }
  private val finish = MutableProjection.create(functions.map(_.evaluateExpression), buffer)
    .target(new SpecificInternalRow(functions.map(_.dataType)))

  /** row_number and its like only ever add rows: Spark refuses to tell how they would be merged. */
  private def merges(function: DeclarativeAggregate): Boolean =
    !function.isInstanceOf[AggregateWindowFunction]

  /** FILTER (WHERE …): a row that fails leaves the buffer as it is. */
  private def guarded(aggregate: AggregateExpression, function: DeclarativeAggregate): Seq[Expression] =
    aggregate.filter match {
      case None => function.updateExpressions
      case Some(condition) =>
        function.updateExpressions.zip(function.aggBufferAttributes).map { case (updated, unchanged) =>
          If(condition, updated, unchanged)
        }
    }

  override def create(): InternalRow = rows.create()
  override def add(accumulator: InternalRow, row: InternalRow): Unit = code.add(accumulator, row)
  override def merge(older: InternalRow, newer: InternalRow): Unit = code.merge(older, newer)
  override def copy(accumulator: InternalRow): InternalRow = rows.copy(accumulator)

  def evaluate(accumulator: InternalRow): InternalRow = finish(accumulator)
}
