package org.sparkcsql.stream

import org.apache.spark.ShuffleDependency
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning, SinglePartition}
import org.apache.spark.sql.execution.{ShuffledRowRDD, SparkPlan, UnsafeRowSerializer}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.sparkcsql.batch.{GivenPartitioner, RowBlocks, RowGoal}

/** Does what the exchange below an operator says, with many rows in a block instead of one by one. */
object BlockShuffle {
  def apply(plan: SparkPlan): RDD[InternalRow] = plan match {
    case exchange: ShuffleExchangeExec =>
      goal(exchange.outputPartitioning).fold(exchange.execute())(shuffled(exchange, _))
    case other => other.execute()
  }

  /** The number of a row's partition. */
  private def goal(partitioning: Partitioning): Option[Expression] = partitioning match {
    case SinglePartition => Some(Literal(0))
    case hashed: HashPartitioning => Some(hashed.partitionIdExpression)
    case _ => None
  }

  private def shuffled(exchange: ShuffleExchangeExec, partOf: Expression): RDD[InternalRow] = {
    val parts = exchange.outputPartitioning.numPartitions
    val columns = exchange.child.output
    val blocks = new RowBlocks(columns)
    val pairs = exchange.child.execute().mapPartitions { rows =>
      val project = UnsafeProjection.create(Seq(partOf), columns)
      val goal = new RowGoal {
        override def group(): Int = 0
        override def part(row: InternalRow): Int = if (parts == 1) 0 else project(row).getInt(0)
      }
      blocks.pack(rows, parts, goal)
    }
    val shuffle = new ShuffleDependency[Int, InternalRow, InternalRow](
      pairs,
      new GivenPartitioner(parts),
      new UnsafeRowSerializer(numFields = 1, exchange.metrics("dataSize")),
      shuffleWriterProcessor = ShuffleExchangeExec.createShuffleWriteProcessor(exchange.metrics)
    )
    new ShuffledRowRDD(shuffle, exchange.metrics).mapPartitions(blocks.unpack)
  }
}
