package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.types.ArrayType
import org.sparkcsql.aggregates._

/** The calls of one task that Python workers answer. */
final class PythonCalls(asked: StreamSpec, input: Seq[Attribute]) {
  private var run: Stepwise = null
  private val work = new PythonWork {
    override def hasSteps: Boolean = run.hasSteps
    override def step(): Unit = run.step()
  }
  private val places: Map[ExprId, PythonPlace] = asked.aggregates.collect {
    case function if UserAggregate.of(function).exists(_.programs.inPython) =>
      function.resultAttribute.exprId -> new PythonPlace(work)
  }.toMap

  /** What the task does; the values of those calls are the numbers of their answers. */
  val spec: StreamSpec = asked.copy(aggregates = asked.aggregates.map { function =>
    places.get(function.resultAttribute.exprId).fold(function)(numbered(function, _))
  })

  private def numbered(function: AggregateExpression, place: PythonPlace): AggregateExpression = {
    val call = function.aggregateFunction.asInstanceOf[UserAggregate]
    function.copy(aggregateFunction = call.numbered(place))
  }

  /** The rows of the task, with the answers in them. */
  def answered(task: Stepwise): Iterator[InternalRow] = {
    run = task
    if (places.isEmpty) task else new AnsweredRows(task, columns, places)
  }

  private def columns: Seq[(Attribute, Option[ArrayType])] = {
    val lists = asked.aggregates.map(f => f.resultAttribute.exprId -> f.dataType).toMap
    spec.emitted(input).map { column =>
      val list = places.get(column.exprId).map(_ => lists(column.exprId).asInstanceOf[ArrayType])
      (column, list)
    }
  }
}

/** Rows wait here until all answers in them have come. */
private final class AnsweredRows(
    run: Stepwise,
    columns: Seq[(Attribute, Option[ArrayType])],
    places: Map[ExprId, PythonPlace])
    extends Iterator[InternalRow] {
  private val numbers: Seq[(Int, PythonPlace)] = columns.zipWithIndex.collect {
    case ((column, Some(_)), i) => (i, places(column.exprId))
  }
  private def tasks: Iterable[PythonTask] = places.values.flatMap(_.task)

  private val lists = new GenericInternalRow(numbers.length)
  private val whole = new JoinedRow
  private val project = {
    val replaced = columns.map { case (column, list) => column -> list.map(AttributeReference("list", _)()) }
    UnsafeProjection.create(
      replaced.map { case (column, list) => list.getOrElse(column) },
      columns.map(_._1) ++ replaced.flatMap(_._2))
  }

  override def hasNext: Boolean = {
    while (run.ready == null && run.hasSteps) {
      run.step()
      tasks.filter(_.isFull).foreach(_.read())
    }
    if (run.ready == null) {
      tasks.foreach(task => while (task.read()) {})
      run.close()
    }
    run.ready != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = run.next()
    var i = 0
    while (i < numbers.length) {
      val (ordinal, place) = numbers(i)
      lists.update(i, if (row.isNullAt(ordinal)) null else list(place.task.get, row.getLong(ordinal)))
      i += 1
    }
    project(whole(row, lists))
  }

  private def list(task: PythonTask, number: Long): Any = {
    while (!task.knows(number))
      if (!task.read()) throw new IllegalStateException("a Python worker has not answered")
    task.list(number)
  }
}
