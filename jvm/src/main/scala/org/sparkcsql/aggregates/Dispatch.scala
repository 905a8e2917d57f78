package org.sparkcsql.aggregates

import org.sparkcsql.kernel.Span

/** When somebody asks for an answer over a window. */
sealed trait Asking extends Product with Serializable
object Asking {

  /** At each tuple, or at some of them. */
  case object AtTuples extends Asking

  /** At jumps, which need not be tuples. */
  case object AtJumps extends Asking

  /** At every so many tuples. */
  final case class EveryTuples(count: Long) extends Asking

  /** At the last tuple of each slot, which is at least as long as the window. */
  case object OncePerSlot extends Asking

  /** When all tuples have come. */
  case object AtEnd extends Asking
}

/** How a call over a window runs: the base version or that for windows, and on which tuples. */
sealed abstract class Dispatch(val told: String) extends Product with Serializable {

  /** What the tuples are given to. */
  def program: AggregateProgram
}
object Dispatch {

  /**
   * Goes on with each tuple; nothing leaves.
   *
   * @param keepsAll whether all that it returns is the answer, not what it returns for the newest tuple
   */
  final case class Running(program: AggregateProgram, keepsAll: Boolean)
      extends Dispatch(s"the ${version(program)} version, with TERMINATE at each answer")

  /** Goes on with each tuple, and with EXPIRE for those that leave. */
  final case class Delta(program: AggregateProgram) extends Dispatch("the window version")

  /** Runs anew over the tuples in the window. */
  final case class Anew(program: AggregateProgram)
      extends Dispatch(s"the ${version(program)} version over inwindow")

  /** Runs once over each window; no tuple is in two of them. */
  final case class Restarted(program: AggregateProgram, every: Long)
      extends Dispatch(s"the ${version(program)} version, restarted for each window")

  /** Runs once over each pane; the window is made of what panes return. */
  final case class Paned(program: AggregateProgram, size: Long, panes: Dispatch)
      extends Dispatch(s"panes of $size, cascaded into ${panes.told}")

  /** Whether the base version is asked for, if there is one. */
  def takesBase(span: Span, asking: Asking): Boolean = (span, asking) match {
    case (Span.Endless, _) | (_, Asking.AtJumps | Asking.OncePerSlot) => true
    case (Span.Tuples(held, _), Asking.EveryTuples(every)) => held <= every
    case _ => false
  }

  def of(programs: AggregatePrograms, span: Span, asking: Asking): Dispatch = {
    val (base, window) = (programs.base, programs.window)
    def overWindow = window.fold[Dispatch](anew(base.get))(Delta(_))
    // where nothing leaves, a run over all tuples need not begin again for each answer
    def anew(program: AggregateProgram) =
      if (!span.leaves && program.onlyReturnsAtEnd) Running(program, keepsAll = false) else Anew(program)
    (span, asking) match {
      case (Span.Endless, _) => Running(programs.any, keepsAll = asking == Asking.AtEnd)
      case (_, Asking.AtJumps) => anew(programs.any)
      case (_, Asking.EveryTuples(every)) if takesBase(span, asking) => Restarted(programs.any, every)
      case (_, Asking.OncePerSlot) => Anew(programs.any)
      case (Span.Tuples(held, _), Asking.EveryTuples(every)) if programs.algebraic && base.isDefined =>
        Paned(base.get, gcd(held, every), overWindow)
      case _ => overWindow
    }
  }

  private def version(program: AggregateProgram): String = if (program.isWindow) "window" else "base"

  @scala.annotation.tailrec
  private def gcd(a: Long, b: Long): Long = if (b == 0) a else gcd(b, a % b)
}
