package org.sparkcsql.analyze

import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.CsqlConf
import org.sparkcsql.errors.CsqlErrors

/** What a query over several windows left unsaid, and what the user should know of its state. */
private[analyze] object RelationDefaults {

  /** @param byDefault whether the query has none of ISTREAM, DSTREAM and RSTREAM */
  def of(inputs: RelationInputs, byDefault: Boolean): Seq[String] = {
    val items = inputs.streams.toSeq
    val defaults = items.flatMap(filledIn(_, byDefault)).distinct
    if (defaults.nonEmpty && CsqlConf.rejectsDefaults(SQLConf.get)) reject(items, defaults, byDefault)
    val slack =
      if (items.exists(_.stream.slackByDefault)) Some("tuples out of order are late [SLACK 0 SECONDS]")
      else None
    // not a default, but nothing that a growing state should hide
    val kept = items.filter(item => item.isUnbounded && inputs.isStreaming).map(item =>
      s"all tuples of ${item.name} are kept, because its window is unbounded")
    defaults ++ slack ++ kept
  }

  private def filledIn(item: StreamItem, byDefault: Boolean): Seq[String] = {
    val range =
      if (item.clause.forall(_.shape.isEmpty)) Some(s"the window of ${item.name} is [Range Unbounded]")
      else None
    val frequency =
      if (byDefault && item.clause.forall(_.frequency.isEmpty))
        Some("the query answers at each tuple [Frequency 1 Tuple]")
      else None
    val time = item.stream.timeByDefault.map(column => s"$column is the time [On $column]")
    (range ++ frequency ++ time).toSeq
  }

  private def reject(items: Seq[StreamItem], defaults: Seq[String], byDefault: Boolean): Nothing =
    CsqlErrors.analysis(
      "CSQL_DEFAULT_REJECTED",
      items.find(filledIn(_, byDefault).nonEmpty).get.at,
      "default" -> defaults.mkString("; "),
      "query" -> inFull(items.filter(filledIn(_, byDefault).nonEmpty), byDefault)
    )

  /** The user's own text with all clauses written out, from the last to the first so that places hold. */
  private def inFull(items: Seq[StreamItem], byDefault: Boolean): String = {
    val text = items.head.at.sqlText.getOrElse("")
    val own =
      items.filter(i => i.at.sqlText.contains(text) && i.at.startIndex.isDefined && i.at.stopIndex.isDefined)
    own.sortBy(-_.at.startIndex.get).foldLeft(text) { (rest, item) =>
      val clause = fullClause(item, byDefault)
      val (start, stop) = (item.at.startIndex.get, item.at.stopIndex.get + 1)
      val written = if (item.clause.isDefined) clause else s"${rest.substring(start, stop)} $clause"
      rest.substring(0, start) + written + rest.substring(stop)
    }
  }

  private def fullClause(item: StreamItem, byDefault: Boolean): String = {
    val range = item.clause.flatMap(_.shape).fold("Range Unbounded")(Algebra.shape)
    val frequency = item.clause.flatMap(_.frequency).map(Algebra.frequencyText)
      .orElse(if (byDefault) Some("1 Tuple") else None)
    val on = item.clause.flatMap(_.on).map(_.text).orElse(item.stream.timeByDefault)
    s"[${(range +: frequency.map(f => s"Frequency $f").toSeq).mkString(", ")}${on.fold("")(c => s" On $c")}]"
  }
}
