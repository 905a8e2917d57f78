package org.sparkcsql.catalog

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{LocalTempView, PersistedView}
import org.apache.spark.sql.catalyst.catalog.TemporaryViewRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.CreateViewCommand
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}
import org.sparkcsql.analyze.{Algebra, Columns, TimeAxis}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._
import org.sparkcsql.source.SourceDefinition
import org.sparkcsql.storage.StreamStore

/** `CREATE STREAM … AS query`: a view that also says what orders its rows. */
final case class CreateStreamCommand(statement: CreateStream, text: String, query: LogicalPlan)
    extends StreamCommand {

  override def execute(session: SparkSession): Seq[Row] = {
    val streams = new StreamCatalog(session)
    val name = streams.identifier(statement.name)
    if (statement.ifNotExists && streams.find(name).exists(_.stream.isDefined)) Nil
    else {
      val late = statement.traits.lateInto.map(streams.identifier)
      if (statement.temporary) (statement.name +: statement.traits.lateInto.toSeq).foreach(refuseDatabase)
      refuseClash(streams, name)
      checkOrder(session)
      val before = streams.find(name).filter(_.temporary == statement.temporary)
      val lateBefore = before.flatMap(LateStream.of(_, streams))
      declare(session, name, text, query, statement.columnNames)
      late.foreach { lateName =>
        val nothing = LateStream.text(name)
        val plan = session.sessionState.sqlParser.parsePlan(nothing)
        declare(session, lateName, nothing, plan, Nil, isLate = true)
      }
      lateBefore.filterNot(old => late.exists(streams.isSame(_, old.name))).foreach(streams.drop)
      Nil
    }
  }

  private def refuseDatabase(name: ColumnName): Unit =
    if (name.parts.size > 1) CsqlErrors.analysis("CSQL_TEMPORARY_QUALIFIED", name.at, "name" -> name.text)

  private def refuseClash(streams: StreamCatalog, name: TableIdentifier): Unit = {
    def taken(other: TableIdentifier, at: ColumnName, replaceable: DeclaredStream => Boolean): Unit =
      streams.find(other).foreach { found =>
        if (!statement.replace || !found.stream.exists(replaceable))
          CsqlErrors.analysis("CSQL_STREAM_EXISTS", at.at, "name" -> at.text)
      }
    taken(name, statement.name, _ => true)
    statement.traits.lateInto.foreach { late =>
      if (streams.isSame(streams.identifier(late), name))
        CsqlErrors.analysis("CSQL_STREAM_EXISTS", late.at, "name" -> late.text)
      taken(streams.identifier(late), late, _.isLate)
    }
  }

  private def checkOrder(session: SparkSession): Unit = {
    val analyzed = session.sessionState.executePlan(query).analyzed
    val output =
      if (statement.columnNames.isEmpty) analyzed.output
      else analyzed.output.zip(statement.columnNames).map { case (column, name) => column.withName(name) }
    statement.traits.orderBy match {
      case time +: ties =>
        if (!isInternalTime(time, output)) {
          val column = Columns.find(time, output)
          if (!TimeAxis.supports(column.dataType)) TimeAxis.typeRefused(time.text, column.dataType, time.at)
        }
        ties.foreach(Columns.find(_, output))
      case _ =>
    }
    statement.traits.slack.filter(_.value > 0).foreach(requireTime(_, output))
  }

  /** Without a time nothing is out of order, so there is nothing that SLACK could wait for. */
  private def requireTime(slack: Length, output: Seq[Attribute]): Unit = {
    def refuse(reason: String) = CsqlErrors.analysis("CSQL_SLACK_UNUSED", slack.at, "reason" -> reason)
    statement.traits.orderBy.headOption match {
      case Some(time) if isInternalTime(time, output) => refuse("tuples have the time at which they arrive")
      case Some(_) =>
      case None =>
        val measured =
          output.filter(column => TimeAxis.isInteger(column.dataType) == (slack.unit == LengthUnit.Bare))
        if (!measured.exists(column => TimeAxis.supports(column.dataType)))
          refuse("none of the columns can be a time that it measures")
    }
  }

  private def isInternalTime(time: ColumnName, output: Seq[Attribute]): Boolean =
    DeclaredStream.isInternalTime(time) && Columns.resolve(time, output).isEmpty

  private def declare(
      session: SparkSession,
      name: TableIdentifier,
      viewText: String,
      viewQuery: LogicalPlan,
      columns: Seq[String],
      isLate: Boolean = false): Unit = {
    val traits = statement.traits
    val declared =
      if (isLate) DeclaredStream(Nil, None, None, isLate = true)
      else DeclaredStream(traits.orderBy, traits.slack.map(Algebra.text), traits.lateInto.map(_.text))
    val properties = declared.properties
    val view = CreateViewCommand(
      name = name,
      userSpecifiedColumns = columns.map(_ -> None),
      comment = None,
      collation = None,
      properties = if (statement.temporary) Map.empty else properties,
      originalText = Some(viewText),
      plan = viewQuery,
      allowExisting = false,
      replace = statement.replace,
      viewType = if (statement.temporary) LocalTempView else PersistedView
    )
    session.sessionState.executePlan(view).assertCommandExecuted()
    if (!statement.temporary) {
      val catalog = session.sessionState.catalog
      val made = catalog.qualifyIdentifier(name)
      new StreamStore(session).save(made.database.get, made.table)
    }
    // Spark takes no properties for temporary views, so they are added to what it made.
    if (statement.temporary) {
      val catalog = session.sessionState.catalog
      catalog.getRawTempView(name.table).foreach { case TemporaryViewRelation(table, plan) =>
        val declared = table.copy(properties = table.properties ++ properties)
        catalog.createTempView(name.table, TemporaryViewRelation(declared, plan), overrideIfExists = true)
      }
    }
  }
}

final case class DropStreamCommand(statement: DropStream) extends StreamCommand {
  override def execute(session: SparkSession): Seq[Row] = {
    val streams = new StreamCatalog(session)
    val name = streams.identifier(statement.name)
    streams.find(name).filter(_.stream.isDefined) match {
      case Some(found) =>
        LateStream.of(found, streams).foreach(streams.drop)
        streams.drop(found)
      case None if statement.ifExists =>
      case None =>
        CsqlErrors.analysis("CSQL_STREAM_NOT_FOUND", statement.name.at, "name" -> statement.name.text)
    }
    Nil
  }
}

final case class ShowStreamsCommand(statement: ShowStreams) extends StreamCommand {
  override val output: Seq[Attribute] = Seq(
    column("namespace", StringType),
    column("streamName", StringType),
    column("isTemporary", BooleanType),
    column("orderBy", StringType))

  private def column(name: String, dataType: DataType): Attribute =
    AttributeReference(name, dataType, nullable = false)()

  override def execute(session: SparkSession): Seq[Row] =
    new StreamCatalog(session).all(statement.pattern.getOrElse("*")).map { found =>
      val order = found.stream.toSeq.flatMap(_.orderBy).map(_.text).mkString(", ")
      Row(found.name.database.getOrElse(""), found.name.table, found.temporary, order)
    }
}

final case class DescribeStreamCommand(statement: DescribeStream) extends StreamCommand {
  override val output: Seq[Attribute] =
    Seq("name", "value").map(name => AttributeReference(name, StringType, nullable = false)())

  override def execute(session: SparkSession): Seq[Row] = {
    val streams = new StreamCatalog(session)
    val found = streams.find(streams.identifier(statement.name)).filter(_.stream.isDefined).getOrElse {
      CsqlErrors.analysis("CSQL_STREAM_NOT_FOUND", statement.name.at, "name" -> statement.name.text)
    }
    val stream = found.stream.get
    val order = if (stream.orderBy.isEmpty) "" else stream.orderBy.map(_.text).mkString(", ")
    found.table.schema.map(field => Row(field.name, field.dataType.sql)) ++ Seq(
      Row("# Order by", order),
      Row("# Slack", stream.slack.getOrElse("0 (default)")),
      Row("# Late into", stream.lateInto.getOrElse("")),
      Row("# Temporary", found.temporary.toString),
      origin(session, found.table.viewText.getOrElse(""))
    )
  }

  private def origin(session: SparkSession, text: String): Row = SourceDefinition.ofViewText(text) match {
    case None => Row("# Query", text)
    case Some(source) =>
      val options = session.sessionState.conf.redactOptions(source.options).toSeq.sorted
      val lines = source.lines.map(format => s" of ${format.name} lines").getOrElse("")
      Row(
        "# Source",
        source.provider + lines + options.map { case (k, v) => s"$k=$v" }.mkString(" (", ", ", ")"))
  }
}
