package org.sparkcsql.catalog

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.ColumnName

/** A table or view under a name, and what it declares when it is a stream. */
final case class FoundRelation(name: TableIdentifier, table: CatalogTable, temporary: Boolean) {
  def stream: Option[DeclaredStream] = DeclaredStream.of(table.properties)
}

/** Declared streams live in Spark's session catalog, beside views and under the same names. */
final class StreamCatalog(session: SparkSession) {
  private def catalog = session.sessionState.catalog

  def identifier(name: ColumnName): TableIdentifier = name.parts match {
    case Seq(table) => TableIdentifier(table)
    case Seq(database, table) => TableIdentifier(table, Some(database))
    case Seq(outer, database, table) if outer.equalsIgnoreCase("spark_catalog") =>
      TableIdentifier(table, Some(database))
    case _ =>
      CsqlErrors.analysis(
        "CSQL_NOT_SUPPORTED_YET",
        name.at,
        "what" -> "A stream in a catalog other than spark_catalog",
        "hint" -> "Declare it without the catalog's name, over a table of that catalog."
      )
  }

  def find(name: TableIdentifier): Option[FoundRelation] = {
    val temporary =
      if (name.database.isDefined) None
      else
        catalog.getRawTempView(name.table).map(view => FoundRelation(name, view.tableMeta, temporary = true))
    temporary.orElse(
      if (catalog.tableExists(name))
        Some(FoundRelation(name, catalog.getTableMetadata(name), temporary = false))
      else None)
  }

  def isSame(one: TableIdentifier, other: TableIdentifier): Boolean = {
    def database(name: TableIdentifier) = name.database.getOrElse(catalog.getCurrentDatabase)
    val same = SQLConf.get.resolver
    same(one.table, other.table) && same(database(one), database(other))
  }

  def drop(found: FoundRelation): Unit =
    if (found.temporary) catalog.dropTempView(found.name.table)
    else catalog.dropTable(found.name, ignoreIfNotExists = true, purge = false)

  def all(pattern: String): Seq[FoundRelation] = {
    val temporary = catalog
      .listLocalTempViews(pattern)
      .flatMap(name => find(TableIdentifier(name.table)))
    val database = catalog.getCurrentDatabase
    val permanent = catalog
      .listTables(database, "*", includeLocalTempViews = false)
      .filter(name => StringUtils.filterPattern(Seq(name.table), pattern).nonEmpty)
      .map(name => FoundRelation(name, catalog.getTableMetadata(name), temporary = false))
    (temporary ++ permanent).filter(_.stream.isDefined).sortBy(_.name.table)
  }
}
