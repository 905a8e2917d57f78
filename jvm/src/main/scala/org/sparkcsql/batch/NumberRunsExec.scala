package org.sparkcsql.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.sparkcsql.plan.{RunIndex, SharedRuns}

/** Rows of files, and what was found out about their order. */
final case class StoredRuns(runs: OrderedRuns, shared: SharedRuns) {
  override def toString: String = shared.toString
}

/** Looks at the order of rows before they are read, once for all operators of an execution. */
private[batch] trait LooksAtRuns extends SparkPlan {
  protected def found(stored: StoredRuns): RunIndex =
    stored.shared.of(sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))(stored.runs.find(session))
}

/** Numbers rows where they stand if they are in order, and sorts them otherwise. */
final case class NumberRunsExec(
    order: Seq[Attribute],
    number: Attribute,
    @transient stored: StoredRuns,
    child: SparkPlan)
    extends UnaryExecNode
    with CodegenSupport
    with LooksAtRuns {
  override def output: Seq[Attribute] = child.output :+ number
  override def producedAttributes: AttributeSet = AttributeSet(number)
  override def outputPartitioning: Partitioning = UnknownPartitioning(child.outputPartitioning.numPartitions)

  /** The order is asked for only where rows are sorted, and those come from elsewhere. */
  override lazy val references: AttributeSet = AttributeSet.empty

  override protected def doExecute(): RDD[InternalRow] = found(stored).runs match {
    case Some(partitions) => inPlace(new RunStarts(partitions))
    case None => sorted()
  }

  private def inPlace(starts: RunStarts): RDD[InternalRow] = {
    val (columns, withNumber) = (child.output, output)
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val project = UnsafeProjection.create(withNumber, columns :+ withNumber.last)
      val joined = new JoinedRow
      val numberRow = new SpecificInternalRow(Seq(withNumber.last.dataType))
      val numbers = starts.of(partition)
      rows.map { row =>
        numberRow.setLong(0, numbers.next())
        project(joined(row, numberRow))
      }
    }
  }

  private def sorted(): RDD[InternalRow] = {
    val spread = RangePartitioning(order.map(SortOrder(_, Ascending)), conf.numShufflePartitions)
    val rows = ShuffleExchangeExec(spread, stored.runs.read(session))
    ProjectExec(output, NumberExec(order, inArrivalOrder = false, number, rows)).execute()
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    if (found(stored).runs.isDefined) child.asInstanceOf[CodegenSupport].inputRDDs() else Seq(sorted())

  override protected def doProduce(context: CodegenContext): String =
    if (found(stored).runs.isDefined) child.asInstanceOf[CodegenSupport].produce(context, this)
    else {
      val input = context.addMutableState(
        "scala.collection.Iterator",
        "input",
        v => s"$v = inputs[0];",
        forceInline = true)
      val row = context.freshName("row")
      context.INPUT_ROW = row
      context.currentVars = null
      val columns = output.zipWithIndex.map { case (column, i) =>
        BoundReference(i, column.dataType, column.nullable).genCode(context)
      }
      s"""
         |while ($input.hasNext()) {
         |  InternalRow $row = (InternalRow) $input.next();
         |  ${consume(context, columns).trim}
         |  $shouldStopCheckCode
         |}
       """.stripMargin
    }

  override def doConsume(context: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val starts = context.addReferenceObj("starts", new RunStarts(found(stored).runs.get))
    val numbers = context.addMutableState(
      classOf[RunNumbers].getName,
      "numbers",
      v => s"$v = $starts.of(partitionIndex);",
      forceInline = true)
    val next = context.freshName("number")
    s"""
       |long $next = $numbers.next();
       |${consume(context, input :+ ExprCode(FalseLiteral, JavaCode.variable(next, number.dataType)))}
     """.stripMargin
  }

  override protected def withNewChildInternal(newChild: SparkPlan): NumberRunsExec = copy(child = newChild)
}

/** Where the runs of each partition begin: see [[RunIndex]]. */
final class RunStarts(partitions: Array[Array[(Long, Long)]]) extends Serializable {
  def of(partition: Int): RunNumbers = new RunNumbers(partitions(partition))
}

/**
 * The numbers of a partition's rows, run by run.
 *
 * @param runs for each run its length and the number before its own
 * @param perRun whether all rows of a run have its own number
 */
final class RunNumbers(runs: Array[(Long, Long)], perRun: Boolean = false) {
  private var run = -1
  private var left = 0L
  private var last = 0L

  def next(): Long = {
    if (left == 0) enter()
    left -= 1
    if (!perRun) last += 1
    last
  }

  private def enter(): Unit = {
    run += 1
    if (run >= runs.length) throw RunNumbers.changed
    left = runs(run)._1
    last = runs(run)._2
  }

  /** Nothing, after all rows have come. */
  def end: Iterator[Nothing] = {
    if (left > 0 || run + 1 < runs.length) throw RunNumbers.changed
    Iterator.empty
  }
}

private[batch] object RunNumbers {
  def changed: Exception = new IllegalStateException("the rows of a stream changed while it was read")
}

/** The numbers of every n-th row: all that is needed of a row when nothing asks for its columns. */
final case class NthNumbersExec(
    count: Long,
    at: Attribute,
    @transient stored: StoredRuns)
    extends LeafExecNode
    with LooksAtRuns {
  override def output: Seq[Attribute] = Seq(at)

  override protected def doExecute(): RDD[InternalRow] = {
    val (step, columns) = (count, output)
    sparkContext.range(1, found(stored).total / step + 1, numSlices = 1).mapPartitions { places =>
      val project = UnsafeProjection.create(columns, columns)
      val row = new SpecificInternalRow(columns.map(_.dataType))
      places.map { place =>
        row.setLong(0, place * step)
        project(row)
      }
    }
  }
}
