package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.CsqlConf
import org.sparkcsql.kernel.Instants
import org.sparkcsql.plan._

/**
 * What the stateful operator runs, as the tasks need it.
 *
 * @param key tuples of each are a stream of their own
 * @param spread what brings tuples to tasks beside the key, none of which is a stream of its own
 * @param divided how EXPLAIN tells it
 */
final case class StreamSpec(
    program: StreamProgram,
    clock: StreamClock,
    key: Seq[Attribute],
    spread: Seq[Attribute],
    divided: Option[String],
    time: Option[Attribute],
    ties: Seq[Attribute],
    batch: Option[Attribute],
    rowOrder: Seq[Attribute],
    passes: Option[Attribute],
    inside: Option[Attribute],
    rangeKey: Seq[Attribute],
    grouping: Seq[Attribute],
    aggregates: Seq[AggregateExpression],
    values: Seq[Attribute],
    added: Seq[Attribute],
    described: String,
    idleMillis: Option[Long]) {

  /** What must be equal for two tuples to be seen by one task; nothing: one task sees them all. */
  def clustering: Seq[Attribute] = key ++ spread

  def told: String = (described +: divided.toSeq).mkString(", ")

  /** The order in which rows reach the programs, within a key. */
  def order: Seq[Attribute] = time.toSeq ++ ties ++ rowOrder

  /** Tuples of earlier times are refused. */
  def earliest: Long = clock match {
    case StreamClock.Watermark(unit, _) => unit.earliest
    case _ => Long.MinValue
  }

  /** The axis on which the clock of the machine can move the time; integers are no instants of it. */
  def movedByClock: Option[ClockUnit] = clock match {
    case StreamClock.Watermark(unit, _) if unit != ClockUnit.Counter => Some(unit)
    case _ => None
  }

  def output(input: Seq[Attribute]): Seq[Attribute] =
    StreamWindow.output(program, input, grouping, key, values, added)

  /** The same columns, as the programs know them. */
  def emitted(input: Seq[Attribute]): Seq[Attribute] =
    StreamWindow.output(program, input, grouping, key, aggregates.map(_.resultAttribute), added)

  /** Whether tuples wait until those before them have come, so that the operator puts them in order itself. */
  def waits: Boolean = time.isDefined && !preAggregated

  /** Late rows go before partial aggregation, which forgets the times of rows. */
  def preAggregated: Boolean = program.isInstanceOf[StreamProgram.Panes]
}

object StreamSpec {
  def of(window: StreamWindow): StreamSpec = StreamSpec(
    window.program,
    window.clock,
    window.key,
    spread = Nil,
    divided = None,
    window.time,
    window.ties,
    window.batch,
    window.rowOrder,
    window.passes,
    window.inside,
    window.rangeKey,
    window.grouping,
    window.functions.map(_.asInstanceOf[WindowedFunction].toSpark),
    window.values,
    window.added,
    window.described,
    idleMillis(window)
  )

  /** Samplers below give the last tuple of a slot when it is over: until then their watermark stands, and is not silent. */
  private def idleMillis(window: LogicalPlan): Option[Long] =
    CsqlConf.idleMillis(SQLConf.get).map { silence =>
      val slots = window.children.flatMap(_.collect { case below: StreamWindow => slotMillis(below) })
      slots.foldLeft(silence)(Instants.plus)
    }

  private def slotMillis(window: StreamWindow): Long = (window.program, window.clock) match {
    case (StreamProgram.LastOfSlot(grid), clock: StreamClock.Watermark) =>
      clock.unit.lengthInMillis(grid.step)
    case (slides: StreamProgram.Slides, clock: StreamClock.Watermark) if slides.grids.nonEmpty =>
      clock.unit.lengthInMillis(slides.grids.map(_.step).max)
    case _ => 0L
  }

  def of(window: RelationWindow): StreamSpec = StreamSpec(
    StreamProgram.Relations(
      window.query,
      window.tag,
      window.slots,
      window.tableTag,
      window.tableSlots,
      window.tableColumns,
      window.right.output,
      window.treeExpressions,
      window.division.place
    ),
    window.clock,
    key = Nil,
    window.key,
    Some(window.divided),
    window.time,
    window.tag +: window.ties,
    window.batch,
    rowOrder = Nil,
    passes = None,
    inside = None,
    rangeKey = Nil,
    grouping = Nil,
    aggregates = Nil,
    window.values,
    window.added,
    window.described,
    idleMillis(window)
  )
}

/** Reads single columns of a row. */
private[stream] final class ColumnReader(column: Option[Attribute], input: Seq[Attribute])
    extends Serializable {
  private val ordinal = column.fold(-1)(c => input.indexWhere(_.exprId == c.exprId))
  require(column.isEmpty || ordinal >= 0, s"the operator's input has lost the column ${column.get}")

  def long(row: InternalRow, otherwise: Long): Long = if (ordinal < 0) otherwise else row.getLong(ordinal)
  def boolean(row: InternalRow): Boolean = ordinal < 0 || (!row.isNullAt(ordinal) && row.getBoolean(ordinal))

  /** Sets a column where the row has it. */
  def set(row: UnsafeRow, value: Long): Unit =
    if (ordinal >= 0 && !row.isNullAt(ordinal)) row.setLong(ordinal, value)
  def int(row: InternalRow): Int = row.getInt(ordinal)
}
