package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Attribute

/** What tells the place of a row in the answer of a query over several windows, beside its instant. */
sealed trait AnswerPlace extends Product with Serializable
object AnswerPlace {

  /** Evaluations and rows are counted, by the one task that there is. */
  case object Counted extends AnswerPlace

  /** Each evaluation is that of a tuple, and one task makes all its rows: the place of the tuple, then rows are counted. */
  case object OfArrival extends AnswerPlace

  /** Each instant has one evaluation, and several tasks make its rows: the places of the tuples that a row comes from. */
  case object OfTuples extends AnswerPlace
}

/**
 * How the work of a query over several windows is divided.
 *
 * @param told the key, or why there is none
 */
final case class Division(place: AnswerPlace, told: String) {
  def text(key: Seq[Attribute]): String =
    if (key.isEmpty) s"in one task: $told" else s"partitioned by $told"
}
