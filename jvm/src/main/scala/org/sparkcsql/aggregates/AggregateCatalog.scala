package org.sparkcsql.aggregates

import java.util.{Locale, WeakHashMap}
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.classic.SparkSession
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{AggregateDefinition, AggregateHome, ColumnName}

/** The two versions that one name may have: for tables, and for windows. */
final case class AggregateVersions(
    base: Option[AggregateDefinition],
    window: Option[AggregateDefinition]) {
  def all: Seq[AggregateDefinition] = base.toSeq ++ window

  /** With the other's where there is none: a call has one type, whichever version it takes. */
  def orElse(other: AggregateVersions): AggregateVersions = {
    def fitting(version: Option[AggregateDefinition]) =
      version.filter(definition => all.forall(_.types == definition.types))
    AggregateVersions(base.orElse(fitting(other.base)), window.orElse(fitting(other.window)))
  }
  def replaced(by: AggregateDefinition): AggregateVersions =
    if (by.isWindow) copy(window = Some(by)) else copy(base = Some(by))
  def sameKind(as: AggregateDefinition): Option[AggregateDefinition] = if (as.isWindow) window else base
}

object AggregateVersions {
  val none: AggregateVersions = AggregateVersions(None, None)
}

/** Where an aggregate lives; a temporary one has no database. */
final case class AggregateKey(database: Option[String], name: String)

/**
 * The aggregates that a session can call: its own temporary ones, then those of the current database,
 * which all sessions of the application share.
 */
final class AggregateCatalog(session: SparkSession) {
  private def spark = session.sessionState.catalog

  def key(name: ColumnName, temporary: Boolean): AggregateKey =
    key(name, temporary, spark.getCurrentDatabase)

  private def key(name: ColumnName, temporary: Boolean, current: String): AggregateKey = {
    val own = lower(name.parts.last)
    name.parts match {
      case Seq(_) => AggregateKey(if (temporary) None else Some(lower(current)), own)
      case Seq(database, _) if !temporary => AggregateKey(Some(lower(database)), own)
      case Seq(catalog, database, _) if !temporary && lower(catalog) == "spark_catalog" =>
        AggregateKey(Some(lower(database)), own)
      case _ =>
        CsqlErrors.analysis("CSQL_AGGREGATE_NOT_FOUND", name.at, "name" -> name.text)
    }
  }

  def find(key: AggregateKey): AggregateVersions = AggregateCatalog.synchronized {
    held(key).getOrElse(key, AggregateVersions.none)
  }

  /** What a call of this name means; in a view, where the view was made. */
  def called(parts: Seq[String]): AggregateVersions = {
    val database = AnalysisContext.get.catalogAndNamespace match {
      case Seq(_, ofView) => ofView
      case _ => spark.getCurrentDatabase
    }
    calledIn(AggregateHome(database, temporary = true), parts)
  }

  /** What it means in the body of an aggregate. */
  def calledIn(home: AggregateHome, parts: Seq[String]): AggregateVersions = {
    val name = ColumnName(parts, Origin())
    val shared = parts.length match {
      case 1 | 2 => find(key(name, temporary = false, home.database))
      case _ => AggregateVersions.none
    }
    if (parts.length == 1 && home.temporary) temporary(parts.head).orElse(shared) else shared
  }

  /** What the session has of its own by this name. */
  def temporary(name: String): AggregateVersions = find(AggregateKey(None, lower(name)))

  /** Whether there is nothing that a call could mean. */
  def isEmpty: Boolean = AggregateCatalog.synchronized {
    AggregateCatalog.temporary.getOrDefault(session, AggregateCatalog.nothing).isEmpty &&
    AggregateCatalog.shared.getOrDefault(session.sparkContext, AggregateCatalog.nothing).isEmpty
  }

  def put(key: AggregateKey, versions: AggregateVersions): Unit = AggregateCatalog.synchronized {
    AggregateCatalog.revision.incrementAndGet()
    val others = held(key) - key
    keep(key, if (versions.all.isEmpty) others else others + (key -> versions))
  }

  def all(pattern: String): Seq[(AggregateKey, AggregateVersions)] = AggregateCatalog.synchronized {
    val database = lower(spark.getCurrentDatabase)
    val own = AggregateCatalog.temporary.getOrDefault(session, AggregateCatalog.nothing)
    val shared = AggregateCatalog.shared
      .getOrDefault(session.sparkContext, AggregateCatalog.nothing)
      .filter(_._1.database.contains(database))
    (own ++ shared).toSeq
      .filter { case (key, _) => StringUtils.filterPattern(Seq(key.name), pattern).nonEmpty }
      .sortBy { case (key, _) => (key.name, key.database.isDefined) }
  }

  /** Whether Spark itself knows a function of this name. */
  def isSparks(name: String): Boolean = spark.functionExists(FunctionIdentifier(name))

  private def held(key: AggregateKey): Map[AggregateKey, AggregateVersions] =
    if (key.database.isEmpty) AggregateCatalog.temporary.getOrDefault(session, AggregateCatalog.nothing)
    else AggregateCatalog.shared.getOrDefault(session.sparkContext, AggregateCatalog.nothing)

  private def keep(key: AggregateKey, all: Map[AggregateKey, AggregateVersions]): Unit =
    if (key.database.isEmpty) AggregateCatalog.temporary.put(session, all): Unit
    else AggregateCatalog.shared.put(session.sparkContext, all): Unit

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}

object AggregateCatalog {
  private type Held = Map[AggregateKey, AggregateVersions]
  private val nothing: Held = Map.empty

  // weak, so that closed sessions and applications take theirs along
  private val temporary = new WeakHashMap[SparkSession, Held]
  private val shared = new WeakHashMap[SparkContext, Held]

  /** Moves on with each change, so that what was made of definitions can tell that it is old. */
  val revision = new AtomicLong
}
