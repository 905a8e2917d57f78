package org.sparkcsql.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafCommand, LogicalPlan}
import org.apache.spark.sql.types.StructType

/** What a declared stream says beyond its rows: order, slack and where late rows go. */
final case class StreamTraits(
    orderBy: Seq[ColumnName],
    slack: Option[Length],
    lateInto: Option[ColumnName])

/** Where the rows of a declared stream come from. */
sealed trait StreamBody
object StreamBody {
  /** `AS query`: the text is stored, as for a view. */
  final case class Query(text: String, plan: LogicalPlan) extends StreamBody
  final case class Source(uri: String, columns: StructType) extends StreamBody
  final case class Format(provider: String, options: Map[String, String], columns: StructType)
      extends StreamBody
}

final case class CreateStream(
    name: ColumnName,
    columnNames: Seq[String],
    traits: StreamTraits,
    body: StreamBody,
    temporary: Boolean,
    replace: Boolean,
    ifNotExists: Boolean)
    extends LeafCommand {
  override def output: Seq[Attribute] = Nil
}

final case class DropStream(name: ColumnName, ifExists: Boolean) extends LeafCommand
final case class ShowStreams(pattern: Option[String]) extends LeafCommand
final case class DescribeStream(name: ColumnName) extends LeafCommand
