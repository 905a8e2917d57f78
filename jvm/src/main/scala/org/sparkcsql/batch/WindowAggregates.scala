package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.sparkcsql.kernel._

/**
 * Spark's aggregate functions as the kernel sees them.
 *
 * Functions that Spark defines by expressions can be merged and run on two stacks. All others, and
 * all DISTINCT ones, are added up anew for each answer, unless no tuple ever leaves the window.
 *
 * @param partials whether the rows hold Spark's partial aggregation buffers instead of raw columns
 */
final class WindowAggregates(
    aggregates: Seq[AggregateExpression],
    input: Seq[Attribute],
    partials: Boolean,
    partition: Int) {

  private val (mergeable, holistic) = aggregates.partition(WindowAggregates.mergeable)
  private val merging = new MergingAggregation(mergeable, input, partials)
  private val adding = new AddingAggregation(holistic, input, partition)

  private val (merges, adds) = (mergeable.nonEmpty, holistic.nonEmpty)

  val resultAttributes: Seq[Attribute] = (mergeable ++ holistic).map(_.resultAttribute)

  /** The state of one group's window. */
  def newState(reach: Reach, leaves: Boolean, scattered: Boolean): WindowState[InternalRow, InternalRow] =
    if (scattered && !adds) new ResultState(new WindowState.Scattered(merging), merging.evaluate)
    else if (scattered) {
      new ResultState(
        new WindowState.ScatteredRows(recomputing, (row: InternalRow) => row.copy()),
        (pair: (InternalRow, Array[AddingBuffer])) => results(pair._1, pair._2))
    } else {
      if (leaves) new WindowState.Fifo(reach, new PackedPlaces, queue)
      else
        new WindowState.Endless(both(new RunningAccumulator(merging), new RunningAccumulator(adding)), adds)
    }

  /** The state of a window that holds so many tuples. */
  def lastTuples(count: Long): WindowState[InternalRow, InternalRow] = new WindowState.Last(count, queue)

  private def queue: SlidingAccumulator[InternalRow, InternalRow] =
    both(stacks, new KeepingCopies(new RecomputingAccumulator(adding, new HeapSequence)))

  private def stacks: SlidingAccumulator[InternalRow, InternalRow] =
    if (merging.rows.flat) new PackedStacks(new PackedBuffers(merging))
    else new KeepingCopies(new TwoStacksAccumulator(merging, new HeapSequence, new HeapSequence))

  /** All functions at once, for windows that are added up anew. */
  def recomputing: Aggregation[InternalRow, (InternalRow, Array[AddingBuffer])] =
    new PairAggregation(merging, adding)

  private val joined = new JoinedRow
  def results(merged: InternalRow, added: Array[AddingBuffer]): InternalRow =
    if (holistic.isEmpty) merging.evaluate(merged)
    else joined(merging.evaluate(merged), adding.evaluate(added))

  private def both(
      merged: SlidingAccumulator[InternalRow, InternalRow],
      added: SlidingAccumulator[InternalRow, Array[AddingBuffer]]) =
    new SlidingAccumulator[InternalRow, InternalRow] {
      override def push(row: InternalRow): Unit = {
        if (merges) merged.push(row)
        if (adds) added.push(row)
      }
      override def pop(): Unit = {
        if (merges) merged.pop()
        if (adds) added.pop()
      }
      override def current: InternalRow =
        if (adds) joined(merging.evaluate(merged.current), adding.evaluate(added.current))
        else merging.evaluate(merged.current)
    }
}

object WindowAggregates {
  def mergeable(aggregate: AggregateExpression): Boolean =
    running(aggregate) && !aggregate.aggregateFunction.isInstanceOf[AggregateWindowFunction]

  /** Whether rows can be added to a buffer that is kept. */
  def running(aggregate: AggregateExpression): Boolean =
    !aggregate.isDistinct && aggregate.aggregateFunction.isInstanceOf[DeclarativeAggregate]

  /** Whether merging gives the same answer in any order, so that rows may be merged before they are sorted. */
  def orderless(aggregate: AggregateExpression): Boolean = mergeable(aggregate) &&
    (aggregate.aggregateFunction match {
      case _: Count | _: Sum | _: Average | _: Min | _: Max | _: CentralMomentAgg | _: Covariance |
          _: PearsonCorrelation | _: BitAggregate => true
      case _ => false
    })
}

/** Hands copies on to what keeps rows: the operators that push them use one row again and again. */
private final class KeepingCopies[A](accumulator: SlidingAccumulator[InternalRow, A])
    extends SlidingAccumulator[InternalRow, A] {
  override def push(row: InternalRow): Unit = accumulator.push(row.copy())
  override def pop(): Unit = accumulator.pop()
  override def current: A = accumulator.current
}

/** Maps the accumulator of a state to the row of its results. */
private final class ResultState[A](state: WindowState[InternalRow, A], evaluate: A => InternalRow)
    extends WindowState[InternalRow, InternalRow] {
  override def insert(place: Place, row: InternalRow): Unit = state.insert(place, row)
  override def evict(atSeq: Long, atTime: Long): Unit = state.evict(atSeq, atTime)
  override def size: Long = state.size
  override def current: InternalRow = evaluate(state.current)
}

private final class PairAggregation[R, A, B](first: Aggregation[R, A], second: Aggregation[R, B])
    extends Aggregation[R, (A, B)] {
  override def create(): (A, B) = (first.create(), second.create())
  override def add(pair: (A, B), row: R): Unit = {
    first.add(pair._1, row)
    second.add(pair._2, row)
  }
  override def merge(older: (A, B), newer: (A, B)): Unit = {
    first.merge(older._1, newer._1)
    second.merge(older._2, newer._2)
  }
  override def copy(pair: (A, B)): (A, B) = (first.copy(pair._1), second.copy(pair._2))
}
