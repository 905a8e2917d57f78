package org.sparkcsql.queries

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.sparkcsql.catalog.StreamCatalog
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{ColumnName, CreateContinuousQuery}

final case class CreateQueryCommand(statement: CreateContinuousQuery) extends QueryCommand {
  private def at = statement.name.at

  override def execute(session: SparkSession): Seq[Row] = {
    val registry = QueryRegistry.of(session)
    val name = QueryName.of(statement.name)
    registry.oneByOne {
      val exists = registry.store.find(name).isDefined
      if (exists && !statement.ifNotExists) CsqlErrors.analysis("CSQL_QUERY_EXISTS", at, "name" -> name)
      if (!exists) registry.create(definition(session, registry.store, name), at)
    }
    Nil
  }

  private def definition(session: SparkSession, store: QueryStore, name: String): QueryDefinition = {
    val columns = answerColumns(session)
    val target = statement.into.getOrElse(statement.name)
    val table = new QueryTable(session).choose(tableName(session, target), name, columns, target.at)
    val catalogs = session.sessionState.catalogManager
    QueryDefinition(
      version = QueryDefinition.CurrentVersion,
      name = name,
      text = statement.text,
      database = table.database,
      table = table.identifier.table,
      provider = table.provider.get,
      location = table.location.toString,
      columns = StructType(columns.zip(table.schema).map { case (c, own) => c.copy(name = own.name) }).json,
      triggerText = statement.trigger.text,
      checkpoint = checkpoint(session, store, name, new Path(table.location)).toString,
      catalog = catalogs.currentCatalog.name,
      namespace = catalogs.currentNamespace.toSeq,
      settings = OwnedSession.settings(session),
      status = QueryStatus.Stopped.name,
      since = System.currentTimeMillis(),
      errorClass = None,
      errorMessage = None,
      options = table.storage.properties
    )
  }

  private def answerColumns(session: SparkSession): StructType = {
    val analyzed = session.sessionState.executePlan(statement.query).analyzed
    new TemporaryObjects(session).find(statement.query, analyzed).foreach { what =>
      CsqlErrors.analysis("CSQL_QUERY_TEMPORARY", at, "name" -> statement.name.text, "what" -> what)
    }
    if (!analyzed.isStreaming)
      CsqlErrors.analysis("CSQL_QUERY_NOT_STREAMING", at, "name" -> statement.name.text)
    StructType(analyzed.schema.map(_.copy(nullable = true)))
  }

  private def tableName(session: SparkSession, name: ColumnName): TableIdentifier = {
    val catalog = session.sessionState.catalog
    val table = new StreamCatalog(session).identifier(name)
    val database = table.database.getOrElse(catalog.getCurrentDatabase)
    val qualified = catalog.qualifyIdentifier(TableIdentifier(table.table, Some(database)))
    TableIdentifier(qualified.table, qualified.database)
  }

  /** DROP deletes what is in the folder, so it must hold nothing else, now and later. */
  private def checkpoint(session: SparkSession, store: QueryStore, name: String, answers: Path): Path = {
    val written = statement.checkpoint.getOrElse(store.defaultCheckpoint(name).toString)
    def refuse(reason: String) =
      CsqlErrors.analysis("CSQL_QUERY_CHECKPOINT", at, "path" -> written, "reason" -> reason)
    try {
      val path = new Path(written)
      val conf = session.sessionState.newHadoopConf()
      val system = path.getFileSystem(conf)
      val qualified = system.makeQualified(path)
      def overlaps(other: Path): Boolean = Paths.overlap(qualified, Paths.absolute(other, conf))
      if (overlaps(answers)) refuse("the answers of the query are there")
      store.all.find(other => overlaps(new Path(other.checkpoint)) || overlaps(new Path(other.location)))
        .foreach(other => refuse(s"the continuous query ${other.name} uses it, or a part of it"))
      if (statement.checkpoint.isDefined) {
        if (overlaps(store.folder.path.getParent)) refuse("the definitions of streams and queries are there")
        tables(session).find { case (_, location) => overlaps(location) }
          .foreach { case (table, _) => refuse(s"the table ${table.unquotedString} is there") }
        if (system.exists(qualified) && system.listStatus(qualified).nonEmpty) refuse("it is not empty")
      }
      qualified
    } catch {
      case e @ (_: IllegalArgumentException | _: IOException) => refuse(e.getMessage)
    }
  }

  /** Where the tables of all databases are. */
  private def tables(session: SparkSession): Seq[(TableIdentifier, Path)] = {
    val catalog = session.sessionState.catalog
    for {
      database <- catalog.listDatabases()
      names = catalog.listTables(database, "*", includeLocalTempViews = false)
      table <- catalog.getTablesByName(names)
      location <- table.storage.locationUri
    } yield (table.identifier, new Path(location))
  }
}

private object Paths {

  /** With the file system that it is in. */
  def absolute(path: Path, conf: Configuration): Path =
    if (path.toUri.getScheme != null) path else path.getFileSystem(conf).makeQualified(path)

  /** Whether one of two folders holds the other. */
  def overlap(one: Path, other: Path): Boolean = isWithin(one, other) || isWithin(other, one)

  private def isWithin(folder: Path, inner: Path): Boolean =
    Iterator.iterate(inner)(_.getParent).takeWhile(_ != null).contains(folder)
}
