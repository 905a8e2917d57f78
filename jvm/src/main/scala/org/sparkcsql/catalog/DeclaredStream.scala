package org.sparkcsql.catalog

import org.apache.spark.sql.catalyst.plans.logical.View
import org.apache.spark.sql.catalyst.trees.Origin
import org.sparkcsql.plan.ColumnName

/** What a declared stream says about its order, kept in the properties of the view that it is. */
final case class DeclaredStream(
    orderBy: Seq[ColumnName],
    slack: Option[String],
    lateInto: Option[String],
    isLate: Boolean = false) {
  def properties: Map[String, String] =
    Map(DeclaredStream.Marker -> "true", DeclaredStream.Columns -> orderBy.size.toString) ++
      orderBy.zipWithIndex.map { case (column, i) => s"${DeclaredStream.Columns}.$i" -> column.parts.last } ++
      slack.map(DeclaredStream.Slack -> _) ++ lateInto.map(DeclaredStream.Late -> _) ++
      (if (isLate) Some(DeclaredStream.IsLate -> "true") else None)
}

object DeclaredStream {
  private val Marker = "csql.stream"
  private val Columns = "csql.stream.order"
  private val Slack = "csql.stream.slack"
  private val Late = "csql.stream.late"

  /** The stream is what LATE INTO names: the rows that come too late for another one. */
  private val IsLate = "csql.stream.isLate"

  /** `ORDER BY current_time`: the tuples are ordered by when they arrive. */
  def isInternalTime(column: ColumnName): Boolean = column.text.equalsIgnoreCase("current_time")

  def of(view: View): Option[DeclaredStream] = of(view.desc.properties)

  def of(properties: Map[String, String]): Option[DeclaredStream] =
    if (!properties.contains(Marker)) None
    else {
      val count = properties.get(Columns).map(_.toInt).getOrElse(0)
      val columns = (0 until count).map(i => ColumnName(Seq(properties(s"$Columns.$i")), Origin()))
      Some(DeclaredStream(columns, properties.get(Slack), properties.get(Late), properties.contains(IsLate)))
    }
}
