package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.sparkcsql.plan.StreamProgram
import org.sparkcsql.stream._

/** Runs a program of streams on a table: the rows of each key in order, then time runs on to its end. */
final case class TableWindowExec(spec: StreamSpec, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = spec.output(child.output)
  override def producedAttributes: AttributeSet =
    AttributeSet(spec.values ++ spec.added ++ spec.aggregates.map(_.resultAttribute))
  override def simpleString(maxFields: Int): String = s"TableWindow ${spec.described}"
  override def verboseStringWithOperatorId(): String = s"$formattedNodeName\n${spec.described}\n"

  override def requiredChildDistribution: Seq[Distribution] =
    if (spec.key.isEmpty) AllTuples :: Nil else ClusteredDistribution(spec.key) :: Nil
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((spec.key ++ spec.order).map(SortOrder(_, Ascending)))

  override protected def doExecute(): RDD[InternalRow] = {
    val (task, input) = (spec, child.output)
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val python = new PythonCalls(task, input)
      python.answered(new TableRun(python.spec, input, partition, rows, Array.empty))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): TableWindowExec = copy(child = newChild)
}

/** @param tables the rows of tables beside the stream */
private final class TableRun(
    spec: StreamSpec,
    input: Seq[Attribute],
    partition: Int,
    rows: Iterator[InternalRow],
    tables: Array[InternalRow])
    extends Stepwise {
  private val programs = new Programs(
    spec,
    input,
    Beside(tables, run = ""),
    NoStateShelf,
    partition,
    row => answer(row.copy()))
  private val program = spec.program match {
    case relations: StreamProgram.Relations =>
      RelationProgram(
        relations,
        spec,
        input,
        tables,
        partition,
        run = None,
        (_, _) => NoShelf,
        row => answer(row.copy()))
    case _ => programs.build()
  }
  private val keys = KeyedRows(rows, UnsafeProjection.create(spec.key, input))
  private var group: Iterator[TupleRows] = null

  override def hasSteps: Boolean = group != null || keys.hasNext
  override protected def finish(): Unit = ()

  override def step(): Unit =
    if (group == null) {
      val (key, own) = keys.next()
      group = new TupleIterator(spec, input, own.map(_.asInstanceOf[UnsafeRow]))
      programs.opening(key)
      program.open(key)
    } else if (group.hasNext) program.tuple(group.next())
    else {
      program.advance(Long.MaxValue)
      group = null
    }
}
