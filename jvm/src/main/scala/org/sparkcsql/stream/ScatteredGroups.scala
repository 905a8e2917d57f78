package org.sparkcsql.stream

import java.util.TreeMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.sparkcsql.aggregates.{Asking, Dispatch, UserAggregate}
import org.sparkcsql.batch.MergingAggregation
import org.sparkcsql.kernel._

/** The rows of one group, in the slots at which they came into sight; slots leave in any order. */
private[stream] trait GroupInSight {
  def add(slot: Long, row: UnsafeRow): Unit

  /** A row that was there when the state was stored. */
  def restore(slot: Long, row: UnsafeRow): Unit = add(slot, row)
  def remove(slot: Long): Unit

  /** Whether none of its rows is in sight. */
  def isEmpty: Boolean

  /** Whether nothing is lost if it begins again. */
  def isForgotten: Boolean = isEmpty
  def values: InternalRow

  /** What its rows do not tell. */
  def save(to: ByteWriter): Unit = ()
  def load(from: ByteReader): Unit = ()
}

/** Makes the groups of a window whose tuples leave in any order. */
private[stream] final class ScatteredGroups(
    aggregates: Seq[AggregateExpression],
    input: Seq[Attribute],
    partition: Int,
    asking: Asking,
    factoryOf: Seq[AggregateExpression] => GroupFactory) {

  private def dispatch(call: UserAggregate): Dispatch = Dispatch.of(call.programs, Span.Queue, asking)

  /** Calls that go on as tuples come and go; all other functions begin anew for each answer. */
  private val (lasting, others) = aggregates.partition(UserAggregate.of(_).exists { call =>
    dispatch(call).isInstanceOf[Dispatch.Delta]
  })
  private val factory = factoryOf(others)
  private lazy val calls = lasting.flatMap(UserAggregate.of(_)).map { call =>
    new RunningCall(call, input, dispatch(call).program, partition)
  }

  /** Whether groups have a state beside their rows. */
  def isLasting: Boolean = lasting.nonEmpty

  /** The order in which values come. */
  val resultAttributes: Seq[Attribute] = factory.resultAttributes ++ lasting.map(_.resultAttribute)

  def make(): GroupInSight = if (lasting.isEmpty) plain() else new LastingGroup(plain())

  private def plain(): GroupInSight =
    factory.mergedRows.fold[GroupInSight](new KeptGroup)(new MergedGroup(_))

  /** The values over no rows. */
  def valuesOfNothing: InternalRow = factory.inMemory().values

  private final class MergedGroup(merging: MergingAggregation) extends GroupInSight {
    private val tree = new SlotTree(merging)
    override def add(slot: Long, row: UnsafeRow): Unit = tree.add(slot, row)
    override def remove(slot: Long): Unit = tree.remove(slot)
    override def isEmpty: Boolean = tree.isEmpty
    override def values: InternalRow = merging.evaluate(tree.current)
  }

  /** Rows whose functions do not merge: they are added up anew for each answer. */
  private final class KeptGroup extends GroupInSight {
    private val slots = new TreeMap[Long, Seq[UnsafeRow]]
    override def add(slot: Long, row: UnsafeRow): Unit =
      slots.put(slot, slots.getOrDefault(slot, Nil) :+ row): Unit
    override def remove(slot: Long): Unit = slots.remove(slot): Unit
    override def isEmpty: Boolean = slots.isEmpty
    override def values: InternalRow = {
      val window = factory.inMemory()
      slots.values.forEach(_.foreach(window.insert(ScatteredGroups.nowhere, _)))
      val results = window.values
      window.close()
      results
    }
  }

  /** Some of its functions go on for ever, whatever else begins anew. */
  private final class LastingGroup(rest: GroupInSight) extends GroupInSight {
    private val runs = calls.map(new ScatteredCall(_))
    private val results =
      new GroupValues(factory.resultAttributes.map(_.dataType) +: lasting.map(call => Seq(call.dataType)))

    override def add(slot: Long, row: UnsafeRow): Unit = {
      rest.add(slot, row)
      runs.foreach(_.add(slot, row))
    }
    override def restore(slot: Long, row: UnsafeRow): Unit = rest.restore(slot, row)
    override def remove(slot: Long): Unit = {
      rest.remove(slot)
      runs.foreach(_.remove(slot))
    }
    override def isEmpty: Boolean = rest.isEmpty
    override def isForgotten: Boolean = false
    override def values: InternalRow = {
      results.set(0, rest.values)
      runs.indices.foreach(i => results.set(i + 1, runs(i).values))
      results.row
    }
    override def save(to: ByteWriter): Unit = runs.foreach(_.save(to))
    override def load(from: ByteReader): Unit = runs.foreach(_.load(from))
  }
}

private object ScatteredGroups {
  private val nowhere: Place = Place(Long.MinValue, Long.MaxValue, Long.MinValue)
}
