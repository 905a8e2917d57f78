package org.sparkcsql.batch

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.sparkcsql.analyze._

/** Blocks over tables: the whole answer. */
object BatchLowering extends Lowering {
  override def sample(stream: OrderedStream, frequency: ResolvedFrequency): OrderedStream =
    Sampling(stream, frequency)
  override protected def slideSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer =
    Sliding.select(block, stream, window)
  override protected def slideAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): (Answer, Attribute) = Sliding.aggregate(block, grouping, stream, window)
  override protected def jumpSelect(block: Block, stream: OrderedStream, window: ResolvedWindow): Answer =
    Jumping.select(block, stream, window)
  override protected def jumpAggregate(
      block: Block,
      grouping: GroupedList,
      stream: OrderedStream,
      window: ResolvedWindow): Answer = Jumping.aggregate(block, grouping, stream, window)
}
