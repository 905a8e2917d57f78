package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.kernel.Grid
import org.sparkcsql.plan._

/** Which tuples a window holds, in numbers. */
sealed trait Extent
object Extent {
  final case class Tuples(count: Long, lag: Long, partitionBy: Seq[Attribute]) extends Extent
  final case class Time(length: Long, lag: Long) extends Extent

  /** Both bounds are inclusive; none means endless. */
  final case class Between(from: Option[Long], until: Option[Long]) extends Extent
  val Unbounded: Between = Between(None, None)
}

/** When a block evaluates. */
sealed trait Pace
object Pace {
  case object EachTuple extends Pace
  final case class EveryTuples(count: Long) extends Pace
  final case class Ticks(grid: Grid) extends Pace
}

/** A frequency in numbers, with the columns of its substreams. */
final case class ResolvedFrequency(pace: Pace, partitionBy: Seq[Attribute]) {
  def by(keys: KeyColumns): ResolvedFrequency = copy(partitionBy = keys(partitionBy))
}

final case class ResolvedWindow(extent: Extent, frequency: ResolvedFrequency) {
  def by(keys: KeyColumns): ResolvedWindow = ResolvedWindow(
    extent match {
      case tuples: Extent.Tuples => tuples.copy(partitionBy = keys(tuples.partitionBy))
      case other => other
    },
    frequency.by(keys))
}

/** Gives a clause its meaning on one stream: units, columns and instants become numbers and attributes. */
final class WindowResolver(
    stream: OrderedStream,
    relation: org.apache.spark.sql.catalyst.plans.logical.LogicalPlan) {

  private def time(at: org.apache.spark.sql.catalyst.trees.Origin) =
    StreamOrders.requireTime(stream, relation, at).dataType

  def window(clause: WindowClause): ResolvedWindow = ResolvedWindow(
    clause.shape.fold[Extent](Extent.Unbounded)(extent),
    clause.frequency.fold(ResolvedFrequency(Pace.EachTuple, Nil))(frequency(_, relation.output)))

  private def partition(names: Seq[ColumnName], columns: Seq[Attribute]): Seq[Attribute] = names.map { name =>
    val column = Columns.find(name, columns)
    ComparedByBytes.require(Seq(column), name.at)
    column
  }

  private def extent(shape: WindowShape): Extent = shape match {
    case WindowShape.Range(length, lag, partitionBy, at) if !TimeAxis.isTime(length) =>
      Extent.Tuples(length.value, lag.fold(0L)(_.value), partition(partitionBy, relation.output))
    case WindowShape.Range(length, lag, partitionBy, at) =>
      // a window in time holds the same tuples for each substream and for all of them together
      partitionBy.foreach(Columns.find(_, relation.output))
      val dataType = time(at)
      Extent.Time(
        TimeAxis.length(length, "Range", dataType),
        lag.fold(0L)(TimeAxis.length(_, "Lag", dataType)))
    case WindowShape.Now(at) =>
      time(at)
      Extent.Time(1, 0)
    case WindowShape.Unbounded(_) => Extent.Unbounded
    case WindowShape.Between(from, until, at) =>
      val dataType = time(at)
      val start = from.map(TimeAxis.instant(_, "From", dataType))
      val end = until.map(TimeAxis.instant(_, "Until", dataType))
      for (s <- start; e <- end if e < s)
        CsqlErrors.analysis(
          "CSQL_CLAUSE_CONTRADICTORY",
          until.get.at,
          "part" -> "Until",
          "other" -> "From",
          "hint" -> "Until must not lie before From.")
      Extent.Between(start, end)
  }

  def frequency(frequency: Frequency, columns: Seq[Attribute]): ResolvedFrequency =
    ResolvedFrequency(pace(frequency), partition(frequency.partitionBy, columns))

  def pace(frequency: Frequency): Pace =
    if (!TimeAxis.isTime(frequency.length)) {
      if (frequency.length.value == 1) Pace.EachTuple else Pace.EveryTuples(frequency.length.value)
    } else {
      val dataType = time(frequency.at)
      val origin = frequency.origin.fold(0L)(TimeAxis.instant(_, "Origin", dataType))
      Pace.Ticks(Grid(origin, TimeAxis.length(frequency.length, "Frequency", dataType)))
    }
}
