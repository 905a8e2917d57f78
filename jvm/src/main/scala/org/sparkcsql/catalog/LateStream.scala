package org.sparkcsql.catalog

import org.apache.spark.sql.catalyst.TableIdentifier

/** The second stream that LATE INTO declares: a view that selects nothing, until a query reads it as a stream. */
private[catalog] object LateStream {
  def text(stream: TableIdentifier): String = s"SELECT * FROM ${stream.quotedString} WHERE false"

  /** The one of a stream, if it is still there; another stream may have its name by now. */
  def of(stream: FoundRelation, streams: StreamCatalog): Option[FoundRelation] = {
    val own = stream.table.identifier
    val texts = Seq(own, TableIdentifier(own.table), TableIdentifier(own.table, own.database)).map(text)
    val databases = if (stream.temporary) Seq(None) else Seq(None, own.database).distinct
    for {
      name <- stream.stream.flatMap(_.lateInto)
      late <- databases.flatMap(database => streams.find(identifier(name, database))).find(found =>
        found.temporary == stream.temporary && found.stream.exists(_.isLate) &&
          found.table.viewText.exists(texts.contains))
    } yield late
  }

  /** As CREATE STREAM has kept it: with its database, if it was written so. */
  private def identifier(name: String, database: Option[String]): TableIdentifier =
    name.split('.') match {
      case Array(table) => TableIdentifier(table, database)
      case parts => TableIdentifier(parts.last, Some(parts(parts.length - 2)))
    }
}
