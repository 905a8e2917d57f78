package org.sparkcsql.aggregates

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.{Locale, WeakHashMap}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan._

/** From definitions of aggregates to programs: each once, as long as no definition changes. */
final class AggregateCompiler(session: SparkSession) {

  /** What a call can run. Inside a body only tables are aggregated, so the base version is meant. */
  def programs(versions: AggregateVersions, at: Origin): AggregatePrograms =
    if (AggregateCompiler.isCompiling) {
      val base = versions.base.getOrElse {
        val name = versions.all.head.name.text
        CsqlErrors.analysis(
          "CSQL_AGGREGATE_CALL",
          at,
          "name" -> name,
          "reason" -> "it has only a WINDOW version, which a statement over local tables cannot call."
        )
      }
      if (AggregateCompiler.isOpen(base))
        CsqlErrors.analysis("CSQL_AGGREGATE_RECURSION", at, "name" -> base.name.text)
      val called = program(base)
      if (PythonProgram.isOne(called))
        refuse(at, "The call of an aggregate written in Python, inside of another one,", "Write both in SQL.")
      new AggregatePrograms(Some(called), None, algebraic = false, shadows = false)
    } else
      AggregateCompiler.remembered(session, versions) {
        val (base, window) = (versions.base.map(program), versions.window.map(program))
        if ((base ++ window).map(PythonProgram.isOne).toSet.size > 1)
          refuse(
            at,
            "An aggregate with one of its two versions in Python",
            "Write both in the same language.")
        new AggregatePrograms(
          base,
          window,
          versions.all.exists(_.algebraic),
          FunctionRegistry.builtin.functionExists(FunctionIdentifier(versions.all.head.name.parts.last))
        )
      }

  private def refuse(at: Origin, what: String, hint: String): Nothing =
    CsqlErrors.analysis("CSQL_NOT_SUPPORTED_YET", at, "what" -> what, "hint" -> hint)

  /** Fails if a definition has no meaning. */
  def check(definition: AggregateDefinition): Unit =
    AggregateCompiler.withCandidate(definition)(program(definition)): Unit

  def program(definition: AggregateDefinition): AggregateProgram =
    AggregateCompiler.within(definition) {
      read(definition) match {
        case sql: AggregateBody.Sql => ofSql(definition, sql)
        case external: AggregateBody.External => ExternalPrograms.of(session, definition, external)
      }
    }

  /** The body as the settings of now mean it: some of them count already when a text is parsed. */
  private def read(definition: AggregateDefinition): AggregateBody =
    if (AggregateCompiler.isCandidate(definition)) definition.body
    else
      session.sessionState.sqlParser.parsePlan(definition.text) match {
        case create: CreateAggregate => create.definition.body
        case other =>
          throw new IllegalStateException(s"not the definition of an aggregate: ${other.nodeName}")
      }

  private def ofSql(definition: AggregateDefinition, body: AggregateBody.Sql): SqlProgram = {
    val tables = localTables(definition, body)
    val window = tables.indexWhere(table => LocalTableDefinition.isWindow(table._1))
    val names = new BodyNames(definition, tables, if (window < 0) None else Some(window))
    val statements = new BodyStatements(session, definition, names)
    val sections = body.sections.map { case (section, list) => section -> list.map(statements.resolved) }
    new SqlProgram(
      definition.name.parts.last,
      names.arguments,
      names.oldest,
      definition.returns,
      body.sections.get(Section.Terminate).exists(_.nonEmpty),
      tables.map(_._2),
      names.window,
      sections,
      AggregateCompiler.hash(definition.text + statements.called.map(_.programs.identity).mkString)
    )
  }

  /** The tables with their types; a version for windows has one for the window, also when it does not say so. */
  private def localTables(
      definition: AggregateDefinition,
      body: AggregateBody.Sql): Seq[(String, StructType)] = {
    val declared = body.tables.map { table =>
      if (table.isWindow) table.name.text -> windowColumns(definition, table)
      else
        table.name.text -> StructType(table.columns.map { case (name, of) => StructField(name, of.get) })
    }
    if (definition.isWindow && !body.tables.exists(_.isWindow))
      declared :+ ("inwindow" -> definition.arguments)
    else declared
  }

  private def windowColumns(definition: AggregateDefinition, table: LocalTableDefinition): StructType = {
    val arguments = definition.arguments.map(_.dataType)
    val fits = table.columns.length == arguments.length &&
      table.columns.zip(arguments).forall { case ((_, own), wanted) => own.forall(_ == wanted) }
    if (!fits)
      CsqlErrors.analysis(
        "CSQL_AGGREGATE_TYPE",
        table.name.at,
        "what" -> s"The table inwindow has the arguments of ${definition.name.text}",
        "wanted" -> AggregateTypes.list(arguments),
        "found" -> table.columns
          .map { case (name, of) => of.fold(name)((t: DataType) => t.sql) }
          .mkString("(", ", ", ")")
      )
    StructType(table.columns.zip(arguments).map { case ((name, _), of) => StructField(name, of) })
  }
}

object AggregateCompiler {
  private val open = ThreadLocal.withInitial[List[AggregateDefinition]](() => Nil)
  private val candidate = ThreadLocal.withInitial[Option[AggregateDefinition]](() => None)

  def isCompiling: Boolean = open.get.nonEmpty
  private def isOpen(definition: AggregateDefinition): Boolean = open.get.exists(_ eq definition)
  private def isCandidate(definition: AggregateDefinition): Boolean = candidate.get.exists(_ eq definition)

  private def within[T](definition: AggregateDefinition)(compile: => T): T = {
    val before = open.get
    open.set(definition :: before)
    try compile
    finally open.set(before)
  }

  /** A definition is looked up by its own body before it is in the catalog. */
  private def withCandidate[T](definition: AggregateDefinition)(compile: => T): T = {
    candidate.set(Some(definition))
    try compile
    finally candidate.set(None)
  }

  /** What a call means: in a body, what it meant where the body was written. */
  def called(catalog: AggregateCatalog, parts: Seq[String], at: Origin): AggregateVersions = {
    val body = open.get.headOption
    val known = body.flatMap(_.home).fold(catalog.called(parts))(catalog.calledIn(_, parts))
    for (created <- candidate.get if body.exists(_ eq created) && !created.home.forall(_.temporary))
      if (parts.length == 1 && catalog.temporary(parts.head).base.isDefined)
        CsqlErrors.analysis(
          "CSQL_AGGREGATE_TEMPORARY",
          at,
          "name" -> created.name.text,
          "called" -> parts.head)
    candidate.get
      .filter(_.name.parts.last.equalsIgnoreCase(parts.last))
      .fold(known)(known.replaced)
  }

  /** What was made of definitions, as long as they and the settings stay: any setting may be part of a meaning. */
  private final case class Remembered(revision: Long, settings: Map[String, String]) {
    val programs = mutable.HashMap.empty[AggregateVersions, AggregatePrograms]
  }
  private val sessions = new WeakHashMap[SparkSession, Remembered]

  private def remembered(session: SparkSession, versions: AggregateVersions)(
      compile: => AggregatePrograms): AggregatePrograms = sessions.synchronized {
    // inside of a view these are the settings that it was made with
    val now = Remembered(AggregateCatalog.revision.get, SQLConf.get.getAllConfs)
    val known = Option(sessions.get(session)).filter(_ == now).getOrElse {
      sessions.put(session, now)
      now
    }
    known.programs.getOrElseUpdate(versions, compile)
  }

  private def hash(text: String): String = MessageDigest
    .getInstance("SHA-256")
    .digest(text.getBytes(UTF_8))
    .take(8)
    .map(byte => f"${byte & 0xff}%02x")
    .mkString
}

/** The names that a body knows beside Spark's functions. */
private[aggregates] final class BodyNames(
    definition: AggregateDefinition,
    val tables: Seq[(String, StructType)],
    val window: Option[Int]) {
  val arguments: Seq[AttributeReference] =
    definition.arguments.map(field => AttributeReference(field.name, field.dataType)())
  val oldest: Seq[AttributeReference] =
    window.toSeq.flatMap(i => tables(i)._2.map(field => AttributeReference(field.name, field.dataType)()))

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
  private val argumentsByName = arguments.map(a => lower(a.name) -> a).toMap
  private val tablesByName = tables.map(_._1).map(lower).zipWithIndex.toMap

  def argument(name: String): Option[AttributeReference] = argumentsByName.get(lower(name))
  def table(name: String): Option[Int] = tablesByName.get(lower(name))
  def columns(table: Int): StructType = tables(table)._2
  def relation(table: Int): LocalTableRelation =
    LocalTableRelation(table, columns(table).map(field => AttributeReference(field.name, field.dataType)()))
}
