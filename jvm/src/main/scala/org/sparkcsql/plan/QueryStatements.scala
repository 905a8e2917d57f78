package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafCommand, LogicalPlan}

/** When a continuous query looks for new rows. */
sealed abstract class QueryTrigger(val text: String) extends Product with Serializable
object QueryTrigger {
  case object AtOnce extends QueryTrigger("AT ONCE")
  case object AvailableNow extends QueryTrigger("AVAILABLE NOW")
  final case class Every(millis: Long) extends QueryTrigger(s"$millis MILLISECONDS")

  private val Interval = "(\\d+) MILLISECONDS".r

  def of(text: String): QueryTrigger = text match {
    case AtOnce.text => AtOnce
    case AvailableNow.text => AvailableNow
    case Interval(millis) => Every(millis.toLong)
    case _ => throw new IllegalArgumentException(s"unknown trigger $text")
  }
}

/** `CREATE CONTINUOUS QUERY`; the text is stored and parsed again wherever the query is started. */
final case class CreateContinuousQuery(
    name: ColumnName,
    into: Option[ColumnName],
    trigger: QueryTrigger,
    checkpoint: Option[String],
    text: String,
    query: LogicalPlan,
    ifNotExists: Boolean)
    extends LeafCommand {
  override def output: Seq[Attribute] = Nil
}

final case class DropContinuousQuery(name: ColumnName, ifExists: Boolean) extends LeafCommand
final case class ShowContinuousQueries(pattern: Option[String]) extends LeafCommand
final case class DescribeContinuousQuery(name: ColumnName) extends LeafCommand
final case class StopContinuousQuery(name: ColumnName) extends LeafCommand
final case class ResumeContinuousQuery(name: ColumnName) extends LeafCommand
