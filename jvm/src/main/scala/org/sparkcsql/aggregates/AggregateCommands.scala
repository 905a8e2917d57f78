package org.sparkcsql.aggregates

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}
import org.sparkcsql.catalog.StreamCommand
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._
import org.sparkcsql.storage.AggregateStore

/** `CREATE AGGREGATE`: checks the body and makes the name known. */
final case class CreateAggregateCommand(statement: CreateAggregate) extends StreamCommand {
  private def definition = statement.definition

  override def execute(session: SparkSession): Seq[Row] = {
    val catalog = new AggregateCatalog(session)
    val key = catalog.key(definition.name, statement.temporary)
    val known = catalog.find(key)
    refuseTaken(catalog, key, known)
    known.replaced(definition).all.foreach(refuseOther)
    if (definition.algebraic) checkAlgebraic()
    refuseStored()
    val database = key.database.getOrElse(session.sessionState.catalog.getCurrentDatabase)
    val made = definition.copy(home = Some(AggregateHome(database, statement.temporary)))
    new AggregateCompiler(session).check(made)
    catalog.put(key, known.replaced(made))
    if (!statement.temporary) new AggregateStore(session).save(key, made)
    Nil
  }

  private def refuseTaken(catalog: AggregateCatalog, key: AggregateKey, known: AggregateVersions): Unit = {
    val own = known.sameKind(definition).isDefined && !statement.replace
    val shadows = known.all.isEmpty && catalog.isSparks(key.name) &&
      !(statement.temporary && statement.replace)
    if (own || shadows)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_EXISTS",
        definition.name.at,
        "name" -> definition.name.text,
        "what" -> (if (own) "an aggregate" else "a function of Spark's"),
        "hint" -> (if (own) "Write CREATE OR REPLACE."
                   else "Write CREATE OR REPLACE TEMPORARY to shadow it in this session.")
      )
  }

  /** A call has one type, whichever version it takes. */
  private def refuseOther(other: AggregateDefinition): Unit =
    if (other.types != definition.types)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_VERSIONS",
        definition.name.at,
        "name" -> definition.name.text,
        "other" -> other.signature)

  /** A new application does not know the classes of a Python program. */
  private def refuseStored(): Unit = definition.body match {
    case AggregateBody.External("PYTHON", code, at) if !statement.temporary =>
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_CLASS",
        at,
        "class" -> code,
        "reason" -> "only this session knows it; write CREATE TEMPORARY AGGREGATE")
    case _ =>
  }

  /** What a pane returns must be what the aggregate takes. */
  private def checkAlgebraic(): Unit =
    if (AggregateTypes.paneValues(definition.returns, definition.arguments).isEmpty)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_ALGEBRAIC",
        definition.name.at,
        "name" -> definition.name.text,
        "returns" -> definition.returns.sql)
}

final case class DropAggregateCommand(statement: DropAggregate) extends StreamCommand {
  override def execute(session: SparkSession): Seq[Row] = {
    val catalog = new AggregateCatalog(session)
    val temporary =
      if (statement.name.parts.length > 1) None
      else Some(catalog.key(statement.name, temporary = true)).filter(catalog.find(_).all.nonEmpty)
    val shared =
      if (statement.temporary) None
      else Some(catalog.key(statement.name, temporary = false)).filter(catalog.find(_).all.nonEmpty)
    temporary.orElse(shared) match {
      case Some(key) =>
        catalog.put(key, AggregateVersions.none)
        if (key.database.isDefined) new AggregateStore(session).delete(key)
      case None if statement.ifExists =>
      case None => AggregateCommands.notFound(statement.name)
    }
    Nil
  }
}

final case class ShowAggregatesCommand(statement: ShowAggregates) extends StreamCommand {
  override val output: Seq[Attribute] = Seq(
    AggregateCommands.column("namespace"),
    AggregateCommands.column("aggregateName"),
    AggregateCommands.column("isTemporary", BooleanType),
    AggregateCommands.column("versions")
  )

  override def execute(session: SparkSession): Seq[Row] =
    new AggregateCatalog(session).all(statement.pattern.getOrElse("*")).map { case (key, versions) =>
      val kinds = versions.base.map(_ => "base").toSeq ++ versions.window.map(_ => "window")
      Row(key.database.getOrElse(""), key.name, key.database.isEmpty, kinds.mkString(", "))
    }
}

final case class DescribeAggregateCommand(statement: DescribeAggregate) extends StreamCommand {
  override val output: Seq[Attribute] = Seq("name", "value").map(AggregateCommands.column(_))

  override def execute(session: SparkSession): Seq[Row] = {
    val versions = new AggregateCatalog(session).called(statement.name.parts)
    val any = versions.all.headOption.getOrElse(AggregateCommands.notFound(statement.name))
    val compiler = new AggregateCompiler(session)
    any.arguments.map(field => Row(field.name, field.dataType.sql)) ++
      Seq(Row("# Returns", any.returns.sql), Row("# Algebraic", versions.all.exists(_.algebraic).toString)) ++
      versions.base.map(base => Row("# Blocking", compiler.program(base).isBlocking.toString)) ++
      versions.base.map(base => Row("# Base version", base.text)) ++
      versions.window.map(window => Row("# Window version", window.text))
  }
}

private object AggregateCommands {
  def column(name: String, dataType: DataType = StringType): Attribute =
    AttributeReference(name, dataType, nullable = false)()

  def notFound(name: ColumnName): Nothing =
    CsqlErrors.analysis("CSQL_AGGREGATE_NOT_FOUND", name.at, "name" -> name.text)
}
