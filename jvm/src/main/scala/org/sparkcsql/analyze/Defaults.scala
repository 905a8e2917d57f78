package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.CsqlConf
import org.sparkcsql.errors.CsqlErrors

/** Something the query did not say, and what was taken instead. */
final case class Default(told: String)

/** Which defaults a block relies on; they are told, or refused when the session wants queries in full. */
object Defaults {
  def of(block: Block, stream: OrderedStream): Seq[Default] = {
    val unwindowed = block.clause.forall(_.shape.isEmpty)
    val range =
      if (unwindowed && (block.aggregate.isDefined || block.clause.isEmpty))
        Some("the window is [Range Unbounded]")
      else None
    val frequency =
      if (block.clause.forall(_.frequency.isEmpty))
        Some("the query answers at each tuple [Frequency 1 Tuple]")
      else None
    val time = stream.timeByDefault.map(column => s"$column is the time [On $column]")
    val defaults = (range ++ frequency ++ time).map(Default(_)).toSeq
    if (defaults.nonEmpty && CsqlConf.rejectsDefaults(SQLConf.get)) reject(block, stream, defaults)
    defaults
  }

  private def reject(block: Block, stream: OrderedStream, defaults: Seq[Default]): Nothing = {
    val at = block.clause.map(_.at).getOrElse(block.stream.origin)
    CsqlErrors.analysis(
      "CSQL_DEFAULT_REJECTED",
      at,
      "default" -> defaults.map(_.told).mkString("; "),
      "query" -> inFull(block, stream, at))
  }

  /** The user's own text with the clause written out. */
  private def inFull(block: Block, stream: OrderedStream, at: Origin): String = {
    val clause = fullClause(block, stream)
    (at.sqlText, at.startIndex, at.stopIndex) match {
      case (Some(text), Some(start), Some(stop)) if block.clause.isDefined =>
        text.substring(0, start) + clause + text.substring(stop + 1)
      case (Some(text), _, Some(stop)) => s"${text.substring(0, stop + 1)} $clause${text.substring(stop + 1)}"
      case _ => clause
    }
  }

  private def fullClause(block: Block, stream: OrderedStream): String = {
    val lone = block.clause.exists(c => c.shape.isEmpty) && block.aggregate.isEmpty
    val range =
      block.clause.flatMap(_.shape).map(Algebra.shape).orElse(if (lone) None else Some("Range Unbounded"))
    val frequency = block.clause.flatMap(_.frequency).fold("1 Tuple")(Algebra.frequencyText)
    val on = block.clause.flatMap(_.on).map(_.text).orElse(stream.timeByDefault)
    s"[${(range.toSeq :+ s"Frequency $frequency").mkString(", ")}${on.fold("")(c => s" On $c")}]"
  }
}
