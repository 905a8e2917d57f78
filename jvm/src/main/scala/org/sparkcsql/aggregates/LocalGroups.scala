package org.sparkcsql.aggregates

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.sparkcsql.batch.{AddingBuffer, GroupedList, WindowAggregates}

/** GROUP BY over local tables: Spark's functions, and aggregates of users, which may return any number of rows. */
private[aggregates] final class LocalGroups(
    aggregate: Aggregate,
    queries: LocalQueries,
    around: Seq[Attribute],
    partition: Int)
    extends LocalRows {
  private val input = queries(aggregate.child, around)
  private val taken = GroupedList.of(aggregate)
  private val columns = around ++ aggregate.child.output
  private val computed = columns ++ taken.computed.map(_.toAttribute)
  private val compute = queries.projection(columns ++ taken.computed, columns)
  private val keyOf = queries.projection(taken.keys, computed)

  private val functions = taken.functions.map(_.toSpark).zip(taken.values)
  private val (called, plain) = functions.partition(f => UserAggregate.in(f._1))
  private val aggregates = new WindowAggregates(plain.map(_._1), computed, partials = false, partition)
  private val adding = aggregates.recomputing
  private val calls = called.map { case (call, _) =>
    val function = UserAggregate.of(call).head
    (queries.projection(function.assigned, computed), function.programs.base.get.task(partition))
  }

  private val results = {
    val byResult = plain.map { case (function, value) => function.resultAttribute.exprId -> value }.toMap
    aggregates.resultAttributes.map(attribute => byResult(attribute.exprId)) ++ called.map(_._2)
  }
  private val expand = taken.returning.map { returning =>
    BindReferences.bindReference(
      ReturnedRows(returning.names, called.map(_._2)),
      around ++ taken.keys ++ results)
  }
  private val list = queries.projection(
    taken.list,
    around ++ taken.keys ++ results ++ taken.returning.toSeq.flatMap(r => r.place +: r.values))

  private final class Group(val key: UnsafeRow) {
    val totals: (InternalRow, Array[AddingBuffer]) = adding.create()
    val runs: Seq[AggregateRun] = calls.map(_._2.run(None))

    def add(row: InternalRow): Unit = {
      adding.add(totals, row)
      runs.indices.foreach(i => runs(i).tuple(calls(i)._1(row).copy(), keepsAll = true))
    }

    def result: InternalRow = {
      val lists = new GenericInternalRow(runs.map(_.answer).toArray[Any])
      new JoinedRow(aggregates.results(totals._1, totals._2), lists)
    }
  }

  override def rows(outside: InternalRow): Iterator[InternalRow] = {
    val groups = mutable.LinkedHashMap.empty[UnsafeRow, Group]
    def group(key: UnsafeRow): Group = groups.getOrElse(
      key, {
        val own = key.copy()
        val made = new Group(own)
        groups.put(own, made)
        made
      })
    val joined = new JoinedRow
    input.rows(outside).foreach { row =>
      val whole = compute(joined(outside, row))
      group(keyOf(whole)).add(whole)
    }
    // without GROUP BY there is one group, whatever it holds
    if (groups.isEmpty && aggregate.groupingExpressions.isEmpty && called.isEmpty)
      group(new UnsafeRow(0)): Unit
    groups.valuesIterator.flatMap(answer(_, outside))
  }

  private def answer(group: Group, outside: InternalRow): Iterator[InternalRow] = {
    val whole = new JoinedRow(outside, new JoinedRow(group.key, group.result))
    expand match {
      case None => Iterator.single(list(whole))
      case Some(returned) => returned.eval(whole).iterator.map(row => list(new JoinedRow(whole, row)))
    }
  }
}
