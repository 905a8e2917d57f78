package org.sparkcsql.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.sparkcsql.aggregates.{Asking, Dispatch, UserAggregate}
import org.sparkcsql.batch.{AddingBuffer, BufferWords, MergingAggregation, WindowAggregates}
import org.sparkcsql.kernel._

/** The window of one group, as the programs use it. */
private[stream] trait Group {
  def insert(place: Place, row: UnsafeRow): Unit

  /** Partial aggregates over tuples of one place. */
  def insertPart(place: Place, part: InternalRow): Unit

  /** A tuple that has not passed WHERE, but makes a window not empty. */
  def insertNothing(place: Place): Unit
  def advance(atSeq: Long, atTime: Long): Unit
  def isEmpty: Boolean
  def isForgotten: Boolean

  /** The results of the functions over what is in the window. */
  def values: InternalRow

  /** The rows in the window, where the query keeps them. */
  def rows: Iterator[UnsafeRow]
  def save(to: ByteWriter): Unit
  def load(from: ByteReader): Unit

  /** The window is not needed any more. */
  def close(): Unit = ()
}

/**
 * Makes the windows of groups: partial aggregates where all functions can be merged, rows otherwise.
 *
 * @param unread whether rows are kept even so, because most of them are not to be aggregated
 */
private[stream] final class GroupFactory(
    span: Span,
    slicing: Slicing,
    selects: Boolean,
    aggregates: Seq[AggregateExpression],
    input: Seq[Attribute],
    partials: Boolean,
    partition: Int,
    unread: Boolean = false,
    asking: Asking = Asking.AtTuples) {
  private val (called, plain) = aggregates.partition(UserAggregate.in(_))
  private val reach = span.reach
  private val leaves = span.leaves
  private val adds = !leaves && !span.lagging
  private val mergeable = !selects && !unread &&
    plain.forall(a => WindowAggregates.mergeable(a) || (adds && WindowAggregates.running(a)))
  private val byTime = span.isInstanceOf[Span.Time] || span.isInstanceOf[Span.AllButTime]
  private val pendingPlaces =
    new PlaceCodec(enter = span.lagging && !byTime, leave = leaves && !byTime, byTime)
  private val places = new PlaceCodec(enter = false, leave = leaves && !byTime, byTime)
  private val placeWords = PlaceWords(enter = span.lagging && !byTime, leave = leaves && !byTime, byTime)

  /** Whether tuples of one slice are kept as one partial aggregate. */
  val slices: Slicing = if (mergeable && called.isEmpty) slicing else Slicing.none

  /** The order in which `values` come. */
  val resultAttributes: Seq[Attribute] = plainResults ++ called.map(_.resultAttribute)

  private def plainResults: Seq[Attribute] =
    if (mergeable) plain.map(_.resultAttribute) else recomputed.resultAttributes

  lazy val merging = new MergingAggregation(plain, input, partials)
  lazy val buffers = new BufferCodec(merging.rows)
  private lazy val words = new BufferWords(merging)
  private lazy val merged = new Aggregation[InternalRow, InternalRow] {
    override def create(): InternalRow = merging.create()
    override def add(total: InternalRow, part: InternalRow): Unit = merging.merge(total, part)
    override def merge(older: InternalRow, newer: InternalRow): Unit = merging.merge(older, newer)
    override def copy(total: InternalRow): InternalRow = merging.copy(total)
  }

  private lazy val kept =
    if (selects) input else input.filter(AttributeSet(plain.flatMap(_.references)).contains)
  private lazy val recomputed = new WindowAggregates(plain, kept, partials = false, partition)

  /** Aggregates of users, one window for each. */
  private lazy val users = called.flatMap(UserAggregate.of(_)).map { call =>
    new UserGroups(call, input, span, Dispatch.of(call.programs, span, asking), partition)
  }

  /** All functions as one aggregation of rows, where their results can be merged. */
  def mergedRows: Option[MergingAggregation] =
    if (!selects && called.isEmpty && plain.forall(WindowAggregates.mergeable)) Some(merging) else None

  /** Whether an answer may depend on tuples that have left the window. */
  def remembers: Boolean = users.exists(_.remembers)

  def make(shelf: Int => Shelf): Group =
    if (called.isEmpty) plainGroup(shelf)
    else {
      val own = if (plain.isEmpty) Nil else Seq(plainGroup(shelf))
      val others = users.zipWithIndex.map { case (user, i) =>
        user.make(part => shelf(GroupFactory.PartsOfCall * (i + 1) + part))
      }
      val types = (if (plain.isEmpty) Nil else Seq(plainResults.map(_.dataType))) ++
        called.map(call => Seq(call.dataType))
      if (own.isEmpty && others.length == 1) others.head else new SeveralGroups(own ++ others, types)
    }

  private def plainGroup(shelf: Int => Shelf): Group =
    if (!mergeable) new RowGroup(shelf) else if (adds) new TotalGroup else new MergedGroup(shelf)

  /** A window that is not stored. */
  def inMemory(): Group = make(_ => NoShelf)

  private final class MergedGroup(shelf: Int => Shelf) extends Group {
    private val window: KeptParts[InternalRow] =
      if (!leaves) new KeptLateTotal(reach, merged, buffers, pendingPlaces, shelf(0))
      else if (slices.slicesOf(span).exists(_ <= KeptSlices.Most))
        new KeptSlices(reach, merged, buffers, pendingPlaces)
      else if (merging.rows.flat)
        new KeptPacked(
          reach,
          span.lagging,
          slices.merges,
          words,
          placeWords,
          shelf(0),
          GroupFactory.chunkOf(span))
      else new KeptStacks(reach, span.lagging, slices.merges, merged, buffers, places, pendingPlaces, shelf)

    override def insert(place: Place, row: UnsafeRow): Unit = {
      val open = window.openAt(place)
      if (open != null) merging.add(open, row)
      else {
        val part = merging.create()
        merging.add(part, row)
        window.insert(place, part)
      }
    }
    override def insertPart(place: Place, part: InternalRow): Unit = window.insert(place, part)
    override def insertNothing(place: Place): Unit = window.insert(place, merging.create())
    override def advance(atSeq: Long, atTime: Long): Unit = window.advance(atSeq, atTime)
    override def isEmpty: Boolean = window.isEmpty
    override def isForgotten: Boolean = window.isForgotten
    override def values: InternalRow = merging.evaluate(window.current)
    override def rows: Iterator[UnsafeRow] = throw new IllegalStateException("only aggregates are kept")
    override def save(to: ByteWriter): Unit = window.save(to)
    override def load(from: ByteReader): Unit = window.load(from)
  }

  private final class TotalGroup extends Group {
    private val window = new KeptTotal[InternalRow, InternalRow](merging, buffers)

    override def insert(place: Place, row: UnsafeRow): Unit = window.insert(place, row)
    override def insertPart(place: Place, part: InternalRow): Unit =
      throw new IllegalStateException("rows are added to the total")
    override def insertNothing(place: Place): Unit = ()
    override def advance(atSeq: Long, atTime: Long): Unit = ()
    override def isEmpty: Boolean = window.isEmpty
    override def isForgotten: Boolean = window.isForgotten
    override def values: InternalRow = merging.evaluate(window.current)
    override def rows: Iterator[UnsafeRow] = throw new IllegalStateException("only aggregates are kept")
    override def save(to: ByteWriter): Unit = window.save(to)
    override def load(from: ByteReader): Unit = window.load(from)
  }

  private type Totals = (InternalRow, Array[AddingBuffer])

  /** Rows that are not there count for nothing. */
  private lazy val present = new Aggregation[UnsafeRow, Totals] {
    private val all = recomputed.recomputing
    override def create(): Totals = all.create()
    override def add(totals: Totals, row: UnsafeRow): Unit = if (row != null) all.add(totals, row)
    override def merge(older: Totals, newer: Totals): Unit = all.merge(older, newer)
    override def copy(totals: Totals): Totals = all.copy(totals)
  }

  private final class RowGroup(shelf: Int => Shelf) extends Group {
    private val project = UnsafeProjection.create(kept, input)
    private val window =
      new KeptRows(
        reach,
        span.lagging,
        leaves,
        present,
        new RowCodec(kept.length),
        pendingPlaces,
        shelf,
        unread)

    override def insert(place: Place, row: UnsafeRow): Unit = window.insert(place, project(row).copy())
    override def insertPart(place: Place, part: InternalRow): Unit =
      throw new IllegalStateException("only rows are kept")
    override def insertNothing(place: Place): Unit = window.insert(place, null)
    override def advance(atSeq: Long, atTime: Long): Unit = window.advance(atSeq, atTime)
    override def isEmpty: Boolean = window.isEmpty
    override def isForgotten: Boolean = window.isForgotten
    override def values: InternalRow = {
      val (merged, added) = window.current
      recomputed.results(merged, added)
    }
    override def rows: Iterator[UnsafeRow] = window.rows.filter(_ != null)
    override def save(to: ByteWriter): Unit = window.save(to)
    override def load(from: ByteReader): Unit = window.load(from)
  }
}

private object GroupFactory {

  /** More than all windows of an operator have for Spark's functions. */
  val PartsOfCall = 10000

  /**
   * How many tuples lie in a piece of the state: the more, the fewer pieces; but those of the last, unfinished
   * piece are written with each micro-batch that touches the window.
   */
  def chunkOf(span: Span): Int = span match {
    case Span.Tuples(count, _) => Integer.highestOneBit(math.max(32L, math.min(512L, count / 16)).toInt)
    case _ => 64
  }
}

private[sparkcsql] object NoShelf extends Shelf {
  private def fail = throw new IllegalStateException("this window is not stored")
  override def get(no: Long): Array[Byte] = fail
  override def put(no: Long, piece: Array[Byte]): Unit = fail
  override def remove(no: Long): Unit = fail
}
