package org.sparkcsql.batch

import java.util.HashSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.sparkcsql.analyze.ComparedByBytes
import org.sparkcsql.kernel.Aggregation

/** What one function has seen: its buffer, and the values already counted when it is DISTINCT. */
private[sparkcsql] final class AddingBuffer(val row: InternalRow, val seen: HashSet[UnsafeRow])

/** Functions that can only add rows: DISTINCT ones and those that Spark does not define by expressions. */
private[sparkcsql] final class AddingAggregation(
    aggregates: Seq[AggregateExpression],
    input: Seq[Attribute],
    partition: Int)
    extends Aggregation[InternalRow, Array[AddingBuffer]] {

  private val functions = aggregates.map(new AddingFunction(_, input, partition)).toArray
  private val values = new GenericInternalRow(functions.length)

  override def create(): Array[AddingBuffer] = functions.map(_.create())

  override def add(buffers: Array[AddingBuffer], row: InternalRow): Unit = {
    var i = 0
    while (i < functions.length) {
      functions(i).add(buffers(i), row)
      i += 1
    }
  }

  override def merge(older: Array[AddingBuffer], newer: Array[AddingBuffer]): Unit =
    throw new UnsupportedOperationException("these functions cannot be merged")

  override def copy(buffers: Array[AddingBuffer]): Array[AddingBuffer] =
    throw new UnsupportedOperationException("these functions cannot be copied")

  def evaluate(buffers: Array[AddingBuffer]): InternalRow = {
    functions.indices.foreach(i => values.update(i, functions(i).evaluate(buffers(i))))
    values
  }
}

private final class AddingFunction(aggregate: AggregateExpression, input: Seq[Attribute], partition: Int) {
  private val passes = aggregate.filter.map { condition =>
    val predicate = Predicate.create(condition, input)
    predicate.initialize(partition)
    predicate
  }
  private val distinctValues =
    if (aggregate.isDistinct)
      Some(
        UnsafeProjection.create(
          aggregate.aggregateFunction.children.map(ComparedByBytes.normalized),
          input))
    else None

  private val body: FunctionBody = aggregate.aggregateFunction match {
    case function: DeclarativeAggregate => new DeclarativeBody(function, input)
    case function: ImperativeAggregate => new ImperativeBody(BindReferences.bindReference(function, input))
    case other => throw new IllegalStateException(s"an aggregate function of an unknown kind: $other")
  }

  def create(): AddingBuffer =
    new AddingBuffer(body.create(), if (aggregate.isDistinct) new HashSet[UnsafeRow] else null)

  def add(buffer: AddingBuffer, row: InternalRow): Unit =
    if (passes.forall(_.eval(row)) && distinctValues.forall(values => firstSeen(buffer, values(row)))) {
      body.add(buffer.row, row)
    }

  private def firstSeen(buffer: AddingBuffer, values: UnsafeRow): Boolean =
    !buffer.seen.contains(values) && buffer.seen.add(values.copy())

  def evaluate(buffer: AddingBuffer): Any = body.evaluate(buffer.row)
}

private trait FunctionBody {
  def create(): InternalRow
  def add(buffer: InternalRow, row: InternalRow): Unit
  def evaluate(buffer: InternalRow): Any
}

private final class DeclarativeBody(function: DeclarativeAggregate, input: Seq[Attribute])
    extends FunctionBody {
  private val types = function.aggBufferAttributes.map(_.dataType)
  private val initialize = MutableProjection.create(function.initialValues, Nil)
  private val update =
    MutableProjection.create(function.updateExpressions, function.aggBufferAttributes ++ input)
  private val finish =
    MutableProjection.create(Seq(function.evaluateExpression), function.aggBufferAttributes)
  private val joined = new JoinedRow

  override def create(): InternalRow = {
    val row = new SpecificInternalRow(types)
    initialize.target(row)(InternalRow.empty)
    row
  }
  override def add(buffer: InternalRow, row: InternalRow): Unit = update.target(buffer)(joined(buffer, row))
  override def evaluate(buffer: InternalRow): Any = finish(buffer).get(0, function.dataType)
}

private final class ImperativeBody(function: ImperativeAggregate) extends FunctionBody {
  override def create(): InternalRow = {
    val row = new GenericInternalRow(function.aggBufferAttributes.length)
    function.initialize(row)
    row
  }
  override def add(buffer: InternalRow, row: InternalRow): Unit = function.update(buffer, row)
  override def evaluate(buffer: InternalRow): Any = function.eval(buffer)
}
