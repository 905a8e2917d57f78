package org.sparkcsql.parse

import org.apache.spark.sql.catalyst.trees.Origin

import org.sparkcsql.plan.{ColumnName, Instant, Length}

/** `Partition[ed] By …`, as written beside a part. */
private[parse] final case class Partitioning(columns: Seq[ColumnName], at: Origin)

/** One part of a bracket clause, as written. */
private[parse] sealed abstract class ClausePart(val name: String) {
  def at: Origin
}

/** The parts that choose the tuples of a window; a clause has at most one. */
private[parse] sealed abstract class ShapePart(name: String) extends ClausePart(name)

private[parse] object ClausePart {

  /** `Range n unit` and `Rows n`. */
  final case class Sized(override val name: String, length: Length, at: Origin) extends ShapePart(name)
  final case class Unbounded(override val name: String, at: Origin) extends ShapePart(name)
  final case class Now(at: Origin) extends ShapePart("Now")

  /** `Landmark …` and `Band …`. */
  final case class Between(
      override val name: String,
      from: Option[Instant],
      until: Option[Instant],
      at: Origin)
      extends ShapePart(name)

  /** `Tumble n unit`: a range and a frequency at once. */
  final case class Tumble(length: Length, at: Origin) extends ShapePart("Tumble")

  /** `Frequency n unit` and `Slide n unit`. */
  final case class Sampling(override val name: String, length: Length, at: Origin) extends ClausePart(name)
  final case class Lag(length: Length, at: Origin) extends ClausePart("Lag")
  final case class From(instant: Instant, at: Origin) extends ClausePart("Origin")
  final case class On(column: ColumnName, at: Origin) extends ClausePart("On")
}

/** A part with the partitioning that belongs to it. */
private[parse] final case class PartitionedPart(part: ClausePart, by: Option[Partitioning])
