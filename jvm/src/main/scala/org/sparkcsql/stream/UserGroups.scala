package org.sparkcsql.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.DataType
import org.sparkcsql.aggregates._
import org.sparkcsql.kernel._

/** What a call has returned, as a row of one list; it is kept, for it may be asked for later. */
private[stream] final class Returned(call: UserAggregate) {
  private val dataType = call.programs.any.returns
  private val toUnsafe = UnsafeProjection.create(Array(dataType))
  private val row = new GenericInternalRow(1)
  private val field = new GenericInternalRow(1)

  /** The list of a call that has not run. */
  def none: InternalRow = {
    row.setNullAt(0)
    row
  }

  def list(values: Seq[Any]): InternalRow = {
    row.update(0, new GenericArrayData(values.toArray[Any]))
    row
  }

  def save(values: Seq[Any], to: ByteWriter): Unit = {
    to.putInt(values.length)
    values.foreach { value =>
      field.update(0, value)
      to.putBytes(toUnsafe(field).getBytes)
    }
  }

  def load(from: ByteReader): Seq[Any] = Seq.fill(from.getInt) {
    RowCodec.read(from.getBytes, 1).get(0, dataType)
  }
}

/** The windows of one call, as its dispatch has them. */
private[stream] final class UserGroups(
    call: UserAggregate,
    input: Seq[Attribute],
    private val span: Span,
    dispatch: Dispatch,
    partition: Int) {
  private val returned = new Returned(call)
  private val argumentsOf = UnsafeProjection.create(call.assigned, input)
  private val byTime = span.isInstanceOf[Span.Time]
  private val places = new PlaceCodec(enter = span.lagging && !byTime, leave = !byTime, byTime)
  private val keepsAll = dispatch match {
    case Dispatch.Running(_, all) => all
    case _ => false
  }
  private lazy val codec = new RowCodec(call.programs.any.argumentTypes.length)

  private val program: AggregateProgram = dispatch match {
    case Dispatch.Running(program, _) => program
    case Dispatch.Delta(program) => program
    case Dispatch.Anew(program) => program
    case Dispatch.Restarted(program, _) => program
    case Dispatch.Paned(program, _, _) => program
  }
  private val task = program.task(partition)
  private def newRun(): StayingRun = new StayingRun(program, task)

  /** The call on what panes return. */
  private lazy val panes: UserGroups = dispatch match {
    case Dispatch.Paned(_, size, over) =>
      val held = span.asInstanceOf[Span.Tuples].count
      new UserGroups(
        call.copy(arguments = paneArguments),
        paneArguments,
        Span.Tuples(held / size, 0),
        over,
        partition)
    case _ => throw new IllegalStateException("this call has no panes")
  }
  private lazy val paneArguments: Seq[AttributeReference] =
    call.programs.any.argumentTypes.map(of => AttributeReference("argument", of)())
  private lazy val paneRow = new PaneRows(call)

  /** Whether an answer may depend on tuples that have left the window. */
  def remembers: Boolean = dispatch match {
    case _: Dispatch.Running | _: Dispatch.Delta => true
    case _ => false
  }

  def make(shelf: Int => Shelf): Group = dispatch match {
    case _: Dispatch.Running => new RunningGroup(Long.MaxValue)
    case Dispatch.Restarted(_, every) => new RunningGroup(every)
    case _: Dispatch.Delta => new DeltaGroup
    case _: Dispatch.Anew => new AnewGroup(shelf)
    case Dispatch.Paned(_, size, _) => new PanedGroup(size, panes.make(shelf))
  }

  private def arguments(row: UnsafeRow): UnsafeRow = argumentsOf(row).copy()

  /** What the newest tuple has returned, and whether TERMINATE has had its say. */
  private final class Answer {
    private val rows = new ArrayBuffer[Any]
    private var terminated = true

    def begin(of: Seq[Any]): Unit = {
      if (!keepsAll) rows.clear()
      rows ++= of
      terminated = false
    }
    def only(of: Seq[Any]): Unit = {
      rows.clear()
      rows ++= of
      terminated = true
    }
    def complete(terminate: => Seq[Any]): InternalRow = {
      if (!terminated) rows ++= terminate
      terminated = true
      returned.list(rows.toSeq)
    }
    def save(to: ByteWriter): Unit = {
      to.putByte(if (terminated) 1 else 0)
      returned.save(rows.toSeq, to)
    }
    def load(from: ByteReader): Unit = {
      terminated = from.getByte == 1
      rows ++= returned.load(from)
    }
  }

  /**
   * Runs as tuples come; none of them leaves, or all at once.
   *
   * @param every how many tuples there are from the end of a window to the end of the next
   */
  private final class RunningGroup(every: Long) extends UserGroup {
    private var run = newRun()
    private val answer = new Answer

    /** The number of the window's last tuple. */
    private var until = Long.MinValue

    override def insert(place: Place, row: UnsafeRow): Unit = {
      if (every != Long.MaxValue && place.enter > until) {
        run = newRun()
        until = Grid(0, every).tickAtOrAfter(place.enter)
      }
      run.tuple(arguments(row))
      answer.begin(run.takeReturned())
    }
    override def values: InternalRow = answer.complete {
      run.terminate()
      run.takeReturned()
    }
    override def advance(atSeq: Long, atTime: Long): Unit = ()
    override def isEmpty: Boolean = !run.isBegun
    override def isForgotten: Boolean = !run.isBegun
    override def save(to: ByteWriter): Unit = {
      to.putLong(until)
      run.save(to)
      answer.save(to)
    }
    override def load(from: ByteReader): Unit = {
      until = from.getLong
      run.load(from)
      answer.load(from)
    }
  }

  /** The tuples of the window are in a table that the aggregate sees. */
  private final class DeltaGroup extends UserGroup {
    private val window = new LocalTable(program.argumentTypes.length)
    private val run = task.run(Some(window))
    private val answer = new Answer
    private val reach = span.reach

    override def insert(place: Place, row: UnsafeRow): Unit = {
      val tuple = arguments(row)
      window.insert(tuple, place)
      run.tuple(tuple)
      answer.begin(run.takeReturned())
    }
    override def values: InternalRow = answer.complete {
      run.terminate()
      run.takeReturned()
    }

    override def advance(atSeq: Long, atTime: Long): Unit = span match {
      case Span.Queue => expire(atSeq)
      case _ =>
        while (window.first != null && isGone(window.first.place, atSeq, atTime)) {
          leave(window.first)
          run.takeReturned(): Unit
        }
    }

    private def isGone(place: Place, atSeq: Long, atTime: Long): Boolean =
      reach.gone(place.leave, place.time, atSeq, atTime)

    /** The tuple of this number leaves, unless it is gone; what is returned about it is the answer. */
    private def expire(number: Long): Unit = {
      val first = window.first
      if (first != null && first.place.leave <= number) {
        leave(first)
        answer.only(run.takeReturned())
      } else answer.only(Nil)
    }

    private def leave(tuple: LocalRow): Unit = {
      run.expire(tuple.row)
      if (tuple.isLive) window.delete(tuple)
    }

    override def isEmpty: Boolean = window.size == 0
    // the aggregate has begun, once for all
    override def isForgotten: Boolean = !run.isBegun
    override def save(to: ByteWriter): Unit = {
      run.save(to)
      answer.save(to)
      window.save(to)
    }
    override def load(from: ByteReader): Unit = {
      run.load(from)
      answer.load(from)
      window.load(from)
    }
  }

  private final class AnewGroup(shelf: Int => Shelf) extends UserGroup {
    private val kept = new KeptRows[UnsafeRow, StayingRun](
      span.reach,
      span.lagging,
      leaves = true,
      runs,
      codec,
      places,
      shelf,
      unread = true)

    override def insert(place: Place, row: UnsafeRow): Unit = kept.insert(place, arguments(row))
    override def insertNothing(place: Place): Unit = kept.insert(place, null)
    override def advance(atSeq: Long, atTime: Long): Unit = kept.advance(atSeq, atTime)
    override def isEmpty: Boolean = kept.isEmpty
    override def isForgotten: Boolean = kept.isForgotten
    override def values: InternalRow = {
      val run = kept.current
      run.terminate()
      if (run.isBegun) returned.list(run.takeReturned()) else returned.none
    }
    override def save(to: ByteWriter): Unit = kept.save(to)
    override def load(from: ByteReader): Unit = kept.load(from)
  }

  /** Only what the newest tuple returns is part of the answer. */
  private val runs = new Aggregation[UnsafeRow, StayingRun] {
    override def create(): StayingRun = newRun()
    override def add(run: StayingRun, row: UnsafeRow): Unit = if (row != null) {
      run.takeReturned(): Unit
      run.tuple(row)
    }
    override def merge(older: StayingRun, newer: StayingRun): Unit =
      throw new UnsupportedOperationException("runs cannot be merged")
    override def copy(run: StayingRun): StayingRun =
      throw new UnsupportedOperationException("runs cannot be copied")
  }

  private final class PanedGroup(size: Long, window: Group) extends UserGroup {
    private var run = newRun()
    private var answer: Seq[Any] = Nil

    override def insert(place: Place, row: UnsafeRow): Unit = {
      run.takeReturned(): Unit
      run.tuple(arguments(row))
      if (place.enter % size == 0) close(place.enter / size)
    }

    private def close(pane: Long): Unit = {
      run.terminate()
      val values = run.takeReturned()
      run = newRun()
      window.advance(pane, Long.MinValue)
      val place = panes.span.place(pane, Long.MinValue)
      values.foreach(value => window.insert(place, paneRow(value)))
      answer =
        if (values.isEmpty) Nil
        else window.values.getArray(0).toObjectArray(call.programs.any.returns).toSeq
    }

    override def advance(atSeq: Long, atTime: Long): Unit = ()
    override def values: InternalRow = returned.list(answer)
    override def isEmpty: Boolean = !run.isBegun && window.isEmpty
    override def isForgotten: Boolean = !run.isBegun && window.isForgotten
    override def save(to: ByteWriter): Unit = {
      run.save(to)
      returned.save(answer, to)
      window.save(to)
    }
    override def load(from: ByteReader): Unit = {
      run.load(from)
      answer = returned.load(from)
      window.load(from)
    }
  }
}

/** What a pane has returned, as arguments. */
private final class PaneRows(call: UserAggregate) {
  private val value = AttributeReference("value", call.programs.any.returns)()
  private val project = UnsafeProjection.create(call.fromReturned(value), Seq(value))
  private val row = new GenericInternalRow(1)

  def apply(returned: Any): UnsafeRow = {
    row.update(0, returned)
    project(row)
  }
}

/** A group that holds tuples for an aggregate of a user's. */
private[stream] abstract class UserGroup extends Group {
  override def insertPart(place: Place, part: InternalRow): Unit =
    throw new IllegalStateException("tuples are given to the aggregate one by one")
  override def insertNothing(place: Place): Unit = ()
  override def rows: Iterator[UnsafeRow] = throw new IllegalStateException("only aggregates are kept")
}

/** Functions of several kinds over one window. */
private[stream] final class SeveralGroups(groups: Seq[Group], types: Seq[Seq[DataType]]) extends Group {
  private val all = new GroupValues(types)

  override def insert(place: Place, tuple: UnsafeRow): Unit = groups.foreach(_.insert(place, tuple))
  override def insertPart(place: Place, part: InternalRow): Unit =
    throw new IllegalStateException("tuples are given to each function")
  override def insertNothing(place: Place): Unit = groups.foreach(_.insertNothing(place))
  override def advance(atSeq: Long, atTime: Long): Unit = groups.foreach(_.advance(atSeq, atTime))
  override def isEmpty: Boolean = groups.forall(_.isEmpty)
  override def isForgotten: Boolean = groups.forall(_.isForgotten)
  override def values: InternalRow = {
    groups.indices.foreach(i => all.set(i, groups(i).values))
    all.row
  }
  override def rows: Iterator[UnsafeRow] = throw new IllegalStateException("only aggregates are kept")
  override def save(to: ByteWriter): Unit = groups.foreach(_.save(to))
  override def load(from: ByteReader): Unit = groups.foreach(_.load(from))
}
