package org.sparkcsql.batch

import org.apache.spark.{Partitioner, ShuffleDependency}
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.csql.Shuffles
import org.apache.spark.sql.execution.{ShuffledRowRDD, UnsafeRowSerializer}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Brings the rows of each key together where rows stand in runs, and sorts nothing: what a run has
 * for a task is a partition of its own in the shuffle, and the task reads its partitions run by run.
 *
 * @param runs see [[org.sparkcsql.plan.RunIndex]]
 * @param most how many tasks may share the keys
 */
private[batch] final class RunsByKey(runs: Array[Array[(Long, Long)]], most: Int) {
  private val count = runs.iterator.map(_.length).sum
  private val parts = math.min(most, RunsByKey.Most / math.max(count, 1))

  /** Whether rows stay in order on their way, and there are so few runs that enough tasks can share the keys. */
  def fits(tasks: Int): Boolean = Shuffles.keepOrder && parts >= math.min(most, tasks)

  def apply(
      rows: RDD[InternalRow],
      columns: Seq[Attribute],
      key: Seq[Attribute],
      metrics: Map[String, SQLMetric]): RDD[InternalRow] = {
    if (rows.getNumPartitions != runs.length) throw RunNumbers.changed
    if (count == 0) rows
    else {
      val (ranked, of) = (ranks, parts)
      val partOf = HashPartitioning(key, of).partitionIdExpression
      val blocks = new RowBlocks(columns)
      val pairs = rows.mapPartitionsWithIndex { (partition, part) =>
        val project = UnsafeProjection.create(Seq(partOf), columns)
        val rank = new RunNumbers(ranked(partition), perRun = true)
        val goal = new RowGoal {
          override def group(): Int = rank.next().toInt
          override def part(row: InternalRow): Int = project(row).getInt(0)
        }
        blocks.pack(part, of, goal) ++ rank.end
      }
      val shuffle = new ShuffleDependency[Int, InternalRow, InternalRow](
        pairs,
        new GivenPartitioner(count * of),
        new UnsafeRowSerializer(numFields = 1))
      new ShuffledRowRDD(shuffle, metrics)
        .coalesce(of, shuffle = false, Some(new RunGroups(count, of)))
        .mapPartitions(blocks.unpack)
    }
  }

  /** For each run of each partition, its length and how many runs come before it. */
  private def ranks: Array[Array[(Long, Long)]] = {
    val rankOf = runs.flatten.map(_._2).sorted.zipWithIndex.toMap
    runs.map(_.map { case (length, before) => (length, rankOf(before).toLong) })
  }
}

private object RunsByKey {

  /** Partitions of the shuffle. */
  val Most = 16384
}

/** Rows come with the number of their partition. */
private[sparkcsql] final class GivenPartitioner(override val numPartitions: Int) extends Partitioner {
  override def getPartition(key: Any): Int = key.asInstanceOf[Int]
}

/** All runs of one task, in order. */
private final class RunGroups(runs: Int, parts: Int) extends PartitionCoalescer with Serializable {
  override def coalesce(most: Int, parent: RDD[_]): Array[PartitionGroup] = Array.tabulate(parts) { part =>
    val group = new PartitionGroup
    (0 until runs).foreach(run => group.partitions += parent.partitions(run * parts + part))
    group
  }
}
