package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.types._
import org.sparkcsql.kernel.{Beat, Grid, Span}

/** How Spark's watermark, in milliseconds from 1970, is read on the axis of a time type. */
sealed abstract class ClockUnit extends Product with Serializable {

  /** Times below this number are complete when the watermark is there. */
  def fromMillis(watermark: Long): Long
  def toMillis(number: Long): Long

  /** How long a stretch of the axis is on the clock of the machine. */
  def lengthInMillis(length: Long): Long

  /** Spark's watermark cannot carry earlier times. */
  def earliest: Long
}

object ClockUnit {
  case object Micros extends ClockUnit {
    override def fromMillis(watermark: Long): Long = Math.multiplyExact(watermark, 1000L)
    override def toMillis(number: Long): Long = Math.floorDiv(number, 1000L)
    override def lengthInMillis(length: Long): Long = length / 1000 + 1
    override def earliest: Long = 0
  }

  case object Days extends ClockUnit {
    private val Millis = 86400000L
    override def fromMillis(watermark: Long): Long =
      Math.floorDiv(Math.addExact(watermark, Millis - 1), Millis)
    override def toMillis(number: Long): Long = Math.multiplyExact(number, Millis)
    override def lengthInMillis(length: Long): Long = math.min(length, Long.MaxValue / Millis) * Millis
    override def earliest: Long = 0
  }

  /** An integer counts as that many milliseconds, moved so far that negative ones are instants too. */
  case object Counter extends ClockUnit {
    val Zero: Long = 1L << 52
    override def fromMillis(watermark: Long): Long = watermark - Zero
    override def toMillis(number: Long): Long = number + Zero
    override def lengthInMillis(length: Long): Long = 0 // integers are no instants of it
    override def earliest: Long = -Zero
  }

  def of(dataType: DataType): ClockUnit = dataType match {
    case TimestampType | TimestampNTZType => Micros
    case DateType => Days
    case _ => Counter
  }
}

/** What tells an operator that the tuples up to an instant have all come. */
sealed trait StreamClock
object StreamClock {

  /** There is no time: each tuple counts as soon as it is read. */
  case object Arrival extends StreamClock

  /** @param shortened whether the operators below announce their watermark one millisecond short */
  final case class Watermark(unit: ClockUnit, shortened: Boolean) extends StreamClock

  /** Time is stamped when tuples are read; it moves with the clock of the machine. */
  case object Internal extends StreamClock
}

/** What a stateful operator does with the tuples of one key. */
sealed trait StreamProgram
object StreamProgram {

  /** Gives the tuples on, once they are complete. */
  case object InOrder extends StreamProgram

  /** Gives on only the rows that come too late. */
  case object LateOnly extends StreamProgram
  final case class EveryTuples(count: Long) extends StreamProgram
  final case class LastOfSlot(grid: Grid) extends StreamProgram

  /**
   * @param selects whether the rows that enter are the answer, instead of aggregates over the window
   * @param oneRow whether FROM makes just one row of a tuple
   */
  final case class Slide(span: Span, selects: Boolean, oneRow: Boolean) extends StreamProgram

  /**
   * @param selects whether the rows in the window are the answer, instead of aggregates over it
   * @param oneRow whether FROM makes just one row of a tuple
   */
  final case class Jump(span: Span, beat: Beat, selects: Boolean, oneRow: Boolean) extends StreamProgram

  /** Spark's window functions: for each frame, how many of the functions it has. */
  final case class Over(frames: Seq[OverFrame]) extends StreamProgram

  /**
   * OVER with SLIDE or ACTIVE EXPIRATION, row by row, on tables too.
   *
   * @param marks whether rows that do not yield come as well, with a mark: windows over other
   *   partitions still want them
   */
  final case class Slides(windows: Seq[OverWindow], marks: Boolean) extends StreamProgram {

    /** The slots whose last tuples yield. */
    def grids: Seq[Grid] = windows.map(_.pace).collect { case OverPace.LastOfSlot(grid) => grid }
  }

  /** Several windows as relations that change; see RelationWindow, which has the same fields. */
  final case class Relations(
      query: RelationQuery,
      tag: Attribute,
      slots: Seq[Attribute],
      tableTag: Attribute,
      tableSlots: Seq[Attribute],
      tableColumns: Seq[Seq[Int]],
      tableOutput: Seq[Attribute],
      expressions: Seq[Expression],
      place: AnswerPlace)
      extends StreamProgram {
    // what Spark has numbered anew must not make it another query
    override def toString: String = query.toString
  }

  /** Aggregates over all tuples of a key, once they have come: for tables. */
  case object Whole extends StreamProgram

  /** Time windows at time ticks, from partial aggregates that were made before the shuffle. */
  final case class Panes(span: Span.Time, grid: Grid) extends StreamProgram
}

/** When a window of OVER gives a row. */
sealed trait OverPace
object OverPace {
  case object EachTuple extends OverPace
  final case class EveryTuples(count: Long) extends OverPace
  final case class LastOfSlot(grid: Grid) extends OverPace

  /** At each tuple, and again so long after it. */
  final case class Expiring(after: Long) extends OverPace
}

/** One window of OVER, and how many of the functions are computed over it. */
final case class OverWindow(span: Span, pace: OverPace, functions: Int)

/** @param peers whether a row sees those of equal order that come after it */
final case class OverFrame(span: Span, peers: Boolean, functions: Int)

/**
 * A window over a stream that has not ended: the one stateful operator. It orders the tuples, keeps
 * what the window holds, and answers when the clock allows. Over a table it runs without state.
 *
 * @param key what the windows and their evaluations are separate for
 * @param time the time of the tuples, where they have one
 * @param ties what orders tuples of equal time
 * @param batch the tie column that is to be set to the number of the micro-batch
 * @param rowOrder what orders the rows that one tuple makes in FROM
 * @param passes whether a row has passed FROM and WHERE, where tuples count that have not
 * @param inside whether a tuple lies inside the landmark or band
 * @param ownTime the time of the tuples themselves, where `time` is that of their slice
 * @param rangeKey the substreams of a range by tuples, where the key does not tell them apart
 * @param values the results of the functions
 * @param added further columns of the answer: the evaluation's order, and whether a group is fresh
 * @param described what the query means, to be compared when it is started again
 */
final case class StreamWindow(
    program: StreamProgram,
    clock: StreamClock,
    key: Seq[Attribute],
    time: Option[Attribute],
    ties: Seq[Attribute],
    batch: Option[Attribute],
    rowOrder: Seq[Attribute],
    passes: Option[Attribute],
    inside: Option[Attribute],
    ownTime: Option[Attribute],
    rangeKey: Seq[Attribute],
    grouping: Seq[Attribute],
    functions: Seq[Expression],
    values: Seq[Attribute],
    added: Seq[Attribute],
    described: String,
    child: LogicalPlan)
    extends UnaryNode {

  override def output: Seq[Attribute] =
    StreamWindow.output(program, child.output, grouping, key, values, added)
  override def producedAttributes: AttributeSet = AttributeSet(values ++ added)
  // The state holds these rows: what is selected above must not change them.
  override lazy val references: AttributeSet = child.outputSet
  override protected def withNewChildInternal(newChild: LogicalPlan): StreamWindow = copy(child = newChild)
}

object StreamWindow {
  def output(
      program: StreamProgram,
      input: Seq[Attribute],
      grouping: Seq[Attribute],
      key: Seq[Attribute],
      values: Seq[Attribute],
      added: Seq[Attribute]): Seq[Attribute] = program match {
    case StreamProgram.Jump(_, _, false, _) | StreamProgram.Whole | _: StreamProgram.Panes =>
      val groups = grouping ++ key.filterNot(k => grouping.exists(_.exprId == k.exprId))
      groups ++ values ++ added
    case _: StreamProgram.Relations => values ++ added
    case _ => input ++ values ++ added
  }
}

/** The rows of one evaluation, which all come in one micro-batch: its top n, or its different rows. */
final case class WithinEvaluation(
    evaluation: Seq[Attribute],
    distinct: Seq[Attribute],
    order: Seq[SortOrder],
    limit: Option[Int],
    offset: Int,
    rank: Attribute,
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output :+ rank
  override def producedAttributes: AttributeSet = AttributeSet(rank)
  override protected def withNewChildInternal(newChild: LogicalPlan): WithinEvaluation =
    copy(child = newChild)
}
