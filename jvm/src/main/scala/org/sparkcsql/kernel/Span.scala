package org.sparkcsql.kernel

/** How far a window reaches back from an evaluation, on the axis that it is counted on. */
sealed trait Span {
  def reach: Reach
  def lagging: Boolean

  /** Whether tuples leave the window. */
  def leaves: Boolean = true

  /** Where a tuple stands in the window, given its number in its substream and its time. */
  def place(number: Long, time: Long): Place
}

object Span {
  final case class Tuples(count: Long, lag: Long) extends Span {
    override def reach: Reach = Reach.untimed
    override def lagging: Boolean = lag > 0
    override def place(number: Long, time: Long): Place = {
      val enter = Instants.plus(number, lag)
      Place(enter, Instants.plus(enter, count), Long.MinValue)
    }
  }

  final case class Time(length: Long, lag: Long) extends Span {
    override def reach: Reach = Reach(lag, length)
    override def lagging: Boolean = lag > 0
    override def place(number: Long, time: Long): Place = Place(Long.MinValue, Long.MaxValue, time)
  }

  /** Nothing ever leaves. */
  case object Endless extends Staying

  /** Nothing ever leaves; but the window has a beginning or an end. */
  case object Landmark extends Staying

  /** Nothing ever leaves, but tuples enter when so many others have come. */
  final case class AllButTuples(lag: Long) extends Staying {
    override def lagging: Boolean = true
    override def place(number: Long, time: Long): Place =
      Place(Instants.plus(number, lag), Long.MaxValue, Long.MinValue)
  }

  /** Nothing ever leaves, but tuples enter so much later than they come. */
  final case class AllButTime(lag: Long) extends Staying {
    override def reach: Reach = Reach(lag, Reach.Endless)
    override def lagging: Boolean = true
    override def place(number: Long, time: Long): Place = Place(Long.MinValue, Long.MaxValue, time)
  }

  sealed trait Staying extends Span {
    override def reach: Reach = Reach.untimed
    override def lagging: Boolean = false
    override def leaves: Boolean = false
    override def place(number: Long, time: Long): Place = Place(Long.MinValue, Long.MaxValue, Long.MinValue)
  }

  /** Tuples leave one by one, each when the host has counted so many that are gone. */
  case object Queue extends Span {
    override def reach: Reach = Reach.untimed
    override def lagging: Boolean = false
    override def place(number: Long, time: Long): Place = Place(number, number, Long.MinValue)
  }
}

/** When a jumping window evaluates. */
sealed trait Beat
object Beat {
  final case class EveryTuples(count: Long) extends Beat
  final case class Ticks(grid: Grid) extends Beat
}

/** Cuts the axis of a window at each of its edges, so that the tuples of one slice can be merged. */
final case class Slicing(numbers: Option[Grid], times: Option[Grid]) {
  def number(number: Long): Long = numbers.fold(number)(_.tickAtOrAfter(number))
  def time(time: Long): Long = times.fold(time)(_.tickAtOrAfter(time))
  def merges: Boolean = numbers.isDefined || times.isDefined

  /** How many slices a window has, with those that it does not see yet. */
  def slicesOf(span: Span): Option[Long] = span match {
    case Span.Tuples(count, lag) => numbers.map(grid => Instants.plus(count, lag) / grid.step)
    case Span.Time(length, lag) => times.map(grid => Instants.plus(length, lag) / grid.step)
    case _: Span.Staying | Span.Queue => None
  }
}

object Slicing {
  val none: Slicing = Slicing(None, None)

  def of(span: Span, beat: Beat): Slicing = (span, beat) match {
    case (Span.Tuples(count, lag), Beat.EveryTuples(jump)) =>
      Slicing(Some(Grid(0, gcd(count, jump, lag))), None)
    case (Span.Time(length, lag), Beat.Ticks(grid)) =>
      Slicing(None, Some(Grid(grid.origin, gcd(length, grid.step, lag))))
    case _ => none
  }

  private def gcd(a: Long, b: Long, c: Long): Long = {
    @scala.annotation.tailrec
    def of(x: Long, y: Long): Long = if (y == 0) x else of(y, x % y)
    of(of(a, b), c)
  }
}
