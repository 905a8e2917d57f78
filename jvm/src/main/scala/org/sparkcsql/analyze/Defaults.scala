package org.sparkcsql.analyze

import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
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
    // an aggregate that answers as tuples come needs no window
    val calls = block.isUnwindowed && block.userCalls.nonEmpty
    val range =
      if (!calls && unwindowed && (block.aggregate.isDefined || block.clause.isEmpty))
        Some("the window is [Range Unbounded]")
      else None
    val frequency =
      if (!calls && block.clause.forall(_.frequency.isEmpty))
        Some("the query answers at each tuple [Frequency 1 Tuple]")
      else None
    val time = stream.timeByDefault.map(column => s"$column is the time [On $column]")
    val defaults = (range ++ frequency ++ time).map(Default(_)).toSeq
    if (defaults.nonEmpty && CsqlConf.rejectsDefaults(SQLConf.get)) reject(block, stream, defaults)
    // a slack is declared with the stream, so no query can say it in full
    defaults ++ (if (stream.slackByDefault) Some(Default("tuples out of order are late [SLACK 0 SECONDS]"))
                 else None)
  }

  private def reject(block: Block, stream: OrderedStream, defaults: Seq[Default]): Nothing =
    CsqlErrors.analysis(
      "CSQL_DEFAULT_REJECTED",
      block.clause.map(_.at).getOrElse(block.stream.origin),
      "default" -> defaults.map(_.told).mkString("; "),
      "query" -> inFull(block, stream)
    )

  /** The user's own text with the clause written out. */
  private def inFull(block: Block, stream: OrderedStream): String = {
    val clause = fullClause(block, stream)
    block.clause match {
      // An aggregate over a sample: the sample is a stream of its own, with a window over it.
      case Some(lone) if lone.shape.isEmpty && block.aggregate.isDefined =>
        val sample = fullClause(block.copy(aggregate = None), stream)
        replaced(
          block.relation.origin,
          _ => s"(SELECT * FROM ${sampled(block, sample)})${alias(block)} $clause",
          clause)
      case Some(written) => replaced(written.at, _ => clause, clause)
      case None => replaced(block.stream.origin, item => s"$item $clause", clause)
    }
  }

  private def replaced(at: Origin, change: String => String, otherwise: String): String =
    (at.sqlText, at.startIndex, at.stopIndex) match {
      case (Some(text), Some(start), Some(stop)) if stop < text.length =>
        text.substring(0, start) + change(text.substring(start, stop + 1)) + text.substring(stop + 1)
      case _ => otherwise
    }

  /** The item with its own clause written out. */
  private def sampled(block: Block, clause: String): String = {
    val (item, own) = (block.relation.origin, block.clause.get.at)
    val (text, start) = (item.sqlText.get, item.startIndex.get)
    text.substring(start, own.startIndex.get) + clause + text.substring(
      own.stopIndex.get + 1,
      item.stopIndex.get + 1)
  }

  private def alias(block: Block): String = block.stream match {
    case SubqueryAlias(identifier, _) => s" AS ${identifier.name}"
    case _ => ""
  }

  private def fullClause(block: Block, stream: OrderedStream): String = {
    val lone = block.clause.exists(_.shape.isEmpty)
    val sampled = lone && block.aggregate.isDefined
    val range = block.clause.flatMap(_.shape).map(Algebra.shape).orElse(
      if (lone && !sampled) None else Some("Range Unbounded"))
    val frequency =
      if (sampled) "1 Tuple" else block.clause.flatMap(_.frequency).fold("1 Tuple")(Algebra.frequencyText)
    val on = block.clause.flatMap(_.on).map(_.text).orElse(stream.timeByDefault)
    s"[${(range.toSeq :+ s"Frequency $frequency").mkString(", ")}${on.fold("")(c => s" On $c")}]"
  }
}
