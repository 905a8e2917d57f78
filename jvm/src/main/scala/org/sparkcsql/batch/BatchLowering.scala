package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.sparkcsql.analyze._
import org.sparkcsql.stream.StreamLowering

/** Blocks over tables: the whole answer. */
sealed trait TableLowering extends Lowering {
  override def sample(stream: OrderedStream, frequency: ResolvedFrequency): OrderedStream =
    Sampling(stream, frequency)
  override protected def slideSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer =
    Sliding.select(block, stream, window)
  override protected def jumpSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer =
    Jumping.select(block, stream, window)
  override private[sparkcsql] def wholeAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer = StreamLowering.wholeAggregate(block, grouping, stream, window)
}

/** With Spark's aggregates, or none: these need not see the tuples one after another. */
object BatchLowering extends TableLowering {
  override private[sparkcsql] def slideAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): (Answer, Attribute) = Sliding.aggregate(block, grouping, stream, window)
  override private[sparkcsql] def jumpAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer = Jumping.aggregate(block, grouping, stream, window)
}

/** With aggregates of users: the programs of streams run over the table. */
object UserBatchLowering extends TableLowering {
  override private[sparkcsql] def slideAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): (Answer, Attribute) =
    StreamLowering.slideAggregate(block, grouping, stream, window)
  override private[sparkcsql] def jumpAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer = StreamLowering.jumpAggregate(block, grouping, stream, window)
}
