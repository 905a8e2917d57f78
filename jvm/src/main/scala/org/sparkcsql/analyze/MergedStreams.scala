package org.sparkcsql.analyze

import java.util.Locale

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.sparkcsql.plan.StreamTime

/**
 * Rows of several relations in one: a number that tells which one a row comes from, and columns
 * that they share where their types allow it.
 *
 * @param slotsOf for each relation, where its columns lie among the shared ones
 */
private[analyze] final case class MergedRows(
    plan: LogicalPlan,
    tag: Attribute,
    slots: Seq[Attribute],
    slotsOf: Seq[Seq[Int]])

private[analyze] object MergedRows {

  /**
   * @param before further columns of each relation, the same number in all of them
   * @param common columns of each relation that get the first slots, one after another
   */
  def of(
      relations: Seq[(LogicalPlan, Seq[Attribute])],
      before: Seq[Seq[NamedExpression]],
      common: Seq[Seq[Attribute]] = Nil): (MergedRows, Seq[Attribute]) = {
    val slots = new Slots
    val slotsOf = relations.zipWithIndex.map { case ((_, columns), i) =>
      val first = common.map(_(i))
      val (known, rest) = columns.partition(c => first.exists(_.exprId == c.exprId))
      val placed = (first ++ rest).zip(slots.place(first ++ rest, inOrder = false)).toMap
      assert(known.map(_.exprId).distinct.size == first.size)
      columns.map(placed)
    }
    val sides = relations.zipWithIndex.map { case ((plan, columns), i) =>
      val own = slotsOf(i).zip(columns).toMap
      val filled = slots.types.zipWithIndex.map { case (of, slot) => slots.column(own.get(slot), of, "slot") }
      Project(before(i) ++ (Alias(Literal(i, IntegerType), "tag")() +: filled), plan)
    }
    val plan = if (sides.size == 1) sides.head else Union(sides)
    val (first, rest) = plan.output.splitAt(before.headOption.fold(0)(_.size))
    (MergedRows(plan, rest.head, rest.tail, slotsOf), first)
  }

  /** No relation at all. */
  lazy val none: MergedRows = {
    val tag = AttributeReference("tag", IntegerType, nullable = false)()
    MergedRows(LocalRelation(Seq(tag)), tag, Nil, Nil)
  }
}

/** Columns that several relations share. */
private final class Slots {
  val types = new ArrayBuffer[DataType]

  /** Finds a slot for each column; `inOrder` wants them one after another, as columns that order rows must be. */
  def place(columns: Seq[Attribute], inOrder: Boolean): Seq[Int] = {
    val taken = new ArrayBuffer[Int]
    columns.foreach { column =>
      val from = if (inOrder) taken.lastOption.fold(0)(_ + 1) else 0
      val free =
        (from until types.size).find(i => types(i) == column.dataType && !taken.contains(i)).getOrElse {
          types += column.dataType
          types.size - 1
        }
      taken += free
    }
    taken.toSeq
  }

  /** A column under a new name; watermarks have been told by then, and marks of them would be ambiguous. */
  def column(found: Option[Attribute], of: DataType, name: String): NamedExpression =
    Alias(found.getOrElse(Literal(null, of)), name)(explicitMetadata = Some(Metadata.empty))
}

/**
 * The tuples of several streams in one order.
 *
 * @param batch the column that the operator sets to the number of the micro-batch, where it is not NULL
 * @param key what brings tuples to tasks
 */
private[analyze] final case class MergedStreams(
    rows: MergedRows,
    time: Option[Attribute],
    ties: Seq[Attribute],
    batch: Option[Attribute],
    key: Seq[Attribute])

private[analyze] object MergedStreams {

  /** @param key for each part of the key, what it is in each stream */
  def of(streams: Seq[StreamItem], time: Option[StreamTime], key: Seq[Seq[Expression]]): MergedStreams = {
    val slots = new Slots
    val (common, computed) = commonColumns(key)
    // The number of the micro-batch, which the operator writes, and the arrival in it have columns of their own.
    val parted = streams.map { item =>
      val ties = item.stream.order.ties
      val at = ties.indexWhere(tie => item.stream.batch.exists(_.exprId == tie.exprId))
      if (at < 0) (ties, Nil) else ties.splitAt(at)
    }
    val arrivals = parted.map(_._2.size).max
    val placed = parted.map { case (ties, _) => slots.place(ties, inOrder = true) }
    // The names tell what orders each stream; by them a changed order is noticed.
    def named(columns: Seq[Attribute]): String =
      columns.map(_.name.toLowerCase(Locale.ROOT)).mkString(" and ")
    val timeName = named(streams.flatMap(_.stream.time).map(_.column))
    val tieNames = slots.types.indices.map(slot =>
      named(parted.zip(placed).flatMap { case ((ties, _), at) => ties.lift(at.indexOf(slot)) }))
    val before = streams.indices.map { i =>
      val (ties, arrival) = parted(i)
      val own = placed(i).zip(ties).toMap
      val time = streams(i).stream.time.map(t => slots.column(Some(t.column), LongType, timeName))
      val tied = slots.types.zipWithIndex.map { case (of, slot) =>
        slots.column(own.get(slot), of, tieNames(slot))
      }
      val last = (0 until arrivals).map(k => slots.column(arrival.lift(k), LongType, "arrival"))
      val keys = computed.map(part => Alias(part(i), "key")())
      time.toSeq ++ keys ++ tied ++ last
    }
    val (rows, first) =
      MergedRows.of(streams.map(item => (item.stream.plan, item.columns)), before, common)
    val (times, rest) = first.splitAt(time.size)
    val (keys, ties) = rest.splitAt(computed.size)
    val batch = if (arrivals > 0) Some(ties(slots.types.size)) else None
    MergedStreams(rows, times.headOption, ties, batch, rows.slots.take(common.size) ++ keys)
  }

  /** The parts of a key that are columns of every stream, none of them twice; and the others. */
  private def commonColumns(key: Seq[Seq[Expression]]): (Seq[Seq[Attribute]], Seq[Seq[Expression]]) =
    key.foldLeft((Seq.empty[Seq[Attribute]], Seq.empty[Seq[Expression]])) { case ((common, rest), part) =>
      val columns = part.collect { case column: Attribute => column }
      val taken = common.exists(_.zip(columns).exists { case (a, b) => a.exprId == b.exprId })
      if (columns.size == part.size && !taken) (common :+ columns, rest) else (common, rest :+ part)
    }
}
