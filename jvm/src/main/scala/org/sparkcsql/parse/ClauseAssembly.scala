package org.sparkcsql.parse

import org.apache.spark.sql.catalyst.trees.Origin

import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** Puts the parts of a clause together and refuses parts that contradict each other. */
private[parse] final class ClauseAssembly(parts: Seq[PartitionedPart], at: Origin) {
  import ClausePart._

  private val shape = single { case p @ PartitionedPart(_: ShapePart, _) => p }
  private val sampling = single { case p @ PartitionedPart(_: Sampling, _) => p }
  private val lag = single { case p @ PartitionedPart(_: Lag, _) => p }.map(_.part.asInstanceOf[Lag])
  private val origin = single { case p @ PartitionedPart(_: From, _) => p }.map(_.part.asInstanceOf[From])
  private val on = single { case p @ PartitionedPart(_: On, _) => p }.map(_.part.asInstanceOf[On])

  def clause: WindowClause = {
    parts.foreach(checkPartitioning)
    checkUnits()
    val window = shape.map(toShape)
    if (lag.isDefined && shape.isEmpty) needsRange(lag.get)
    val frequency = (sampling.toSeq ++ shape.filter(_.part.isInstanceOf[Tumble])) match {
      case Seq(only) => Some(toFrequency(only))
      case Seq(one, other) =>
        contradiction(later(one.part, other.part), "A tumbling window has its frequency already.")
      case _ => None
    }
    if (frequency.isEmpty) {
      origin.foreach(needsFrequency)
      if (window.isEmpty) on.foreach(needsWindow)
    }
    WindowClause(window, frequency, on.map(_.column), at)
  }

  private def toShape(chosen: PartitionedPart): WindowShape = {
    val columns = chosen.by.toSeq.flatMap(_.columns)
    chosen.part match {
      case Sized(_, length, place) => WindowShape.Range(length, checkedLag(length), columns, place)
      case Tumble(length, place) => WindowShape.Range(length, checkedLag(length), columns, place)
      case Unbounded(_, place) => withoutLag(chosen.part, WindowShape.Unbounded(place))
      case Now(place) => withoutLag(chosen.part, WindowShape.Now(place))
      case Between(_, from, until, place) => withoutLag(chosen.part, WindowShape.Between(from, until, place))
      case other => throw new IllegalStateException(s"${other.name} is no window")
    }
  }

  private def toFrequency(chosen: PartitionedPart): Frequency = {
    val length = chosen.part match {
      case Tumble(length, _) => length
      case Sampling(_, length, _) => length
      case other => throw new IllegalStateException(s"${other.name} is no frequency")
    }
    if (length.unit == LengthUnit.Tuples)
      origin.foreach(part => contradiction((part, chosen.part), "Only a frequency in time has an origin."))
    Frequency(length, chosen.by.toSeq.flatMap(_.columns), origin.map(_.instant), chosen.part.at)
  }

  private def checkedLag(range: Length): Option[Length] = lag.map { part =>
    if (Units.kind(part.length.unit) != Units.kind(range.unit))
      CsqlErrors.syntax(
        "CSQL_UNIT_MISMATCH",
        part.length.at,
        "part" -> "Lag",
        "unit" -> Units.kind(part.length.unit),
        "other" -> "the window",
        "otherUnit" -> Units.kind(range.unit))
    part.length
  }

  private def withoutLag(part: ClausePart, shape: WindowShape): WindowShape = {
    lag.foreach(l =>
      contradiction(later(l, part), "Only a window of a given length, as in [Range 1 Hour], can lag."))
    shape
  }

  /** A stream is ordered by a time or by a number: one clause cannot count in both. */
  private def checkUnits(): Unit = {
    val lengths = parts.map(_.part).collect {
      case p @ Sized(_, length, _) => p -> length
      case p @ Tumble(length, _) => p -> length
      case p @ Sampling(_, length, _) => p -> length
    }
    if (lengths.exists(_._2.unit.isInstanceOf[LengthUnit.Time]))
      lengths.collectFirst {
        case (part, length) if length.unit == LengthUnit.Bare => part -> length
      }.foreach {
        case (part, length) =>
          CsqlErrors.syntax(
            "CSQL_UNIT_MISSING",
            length.at,
            "length" -> length.value.toString,
            "part" -> part.name,
            "units" -> Units.allUnits)
      }
  }

  private def checkPartitioning(entry: PartitionedPart): Unit = entry.by.foreach { by =>
    val possible = entry.part match {
      case _: Sized | _: Tumble | _: Sampling => true
      case _ => false
    }
    if (!possible)
      CsqlErrors.syntax(
        "CSQL_CLAUSE_CONTRADICTORY",
        by.at,
        "part" -> "Partition By",
        "other" -> entry.part.name,
        "hint" -> "Partition a window of a given length, as in [Partition By a Rows 10], or a Frequency."
      )
  }

  private def needsRange(part: Lag): Nothing = incomplete(
    part,
    "a window to shift",
    "Write for example [Range 1 Hour Lag 10 Minutes].")

  private def needsFrequency(part: From): Nothing = incomplete(
    part,
    "a frequency to begin",
    "Write for example [Frequency 1 Minute Origin TIMESTAMP '2026-01-01 00:00:00'].")

  private def needsWindow(part: On): Nothing = incomplete(
    part,
    "a window or a frequency beside it",
    "Write for example [Range 1 Hour On ts].")

  private def incomplete(part: ClausePart, missing: String, hint: String): Nothing =
    CsqlErrors.syntax(
      "CSQL_CLAUSE_INCOMPLETE",
      part.at,
      "part" -> part.name,
      "missing" -> missing,
      "hint" -> hint)

  /** The only part of its kind; a second one is refused at its place. */
  private def single(kind: PartialFunction[PartitionedPart, PartitionedPart]): Option[PartitionedPart] = {
    val found = parts.collect(kind)
    found.lift(1).map(_.part).foreach { second =>
      if (second.name != found.head.part.name) contradiction((second, found.head.part), "Keep one of them.")
      CsqlErrors.syntax("CSQL_CLAUSE_DOUBLED", second.at, "part" -> second.name)
    }
    found.headOption
  }

  private def later(a: ClausePart, b: ClausePart): (ClausePart, ClausePart) =
    if (a.at.startIndex.get > b.at.startIndex.get) (a, b) else (b, a)

  private def contradiction(pair: (ClausePart, ClausePart), hint: String): Nothing =
    CsqlErrors.syntax(
      "CSQL_CLAUSE_CONTRADICTORY",
      pair._1.at,
      "part" -> pair._1.name,
      "other" -> pair._2.name,
      "hint" -> hint)
}
