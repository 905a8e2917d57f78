package org.sparkcsql.queries

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** The session that a continuous query runs in: its own, so that it outlives the one that made it. */
private[queries] object OwnedSession {

  /** What a query means depends on these, whoever has made them: they are always said. */
  private val ofMeaning = Seq(
    SQLConf.SESSION_LOCAL_TIMEZONE,
    SQLConf.ANSI_ENABLED,
    SQLConf.CASE_SENSITIVE,
    SQLConf.TIMESTAMP_TYPE).map(_.key)

  /** The settings that a session has made and that tell how a query is read and run; and ours of its application. */
  def settings(maker: SparkSession): Map[String, String] = {
    val conf = maker.sessionState.conf
    val fresh = maker.newSession().sessionState.conf.getAllConfs
    val made = conf.getAllConfs.filter { case (key, value) =>
      isOurs(key) || (isOfQueries(maker, key) && !fresh.get(key).contains(value))
    }
    made ++ ofMeaning.map(key => key -> conf.getConfString(key))
  }

  private def isOurs(key: String): Boolean = key.startsWith("spark.csql.")

  private def isOfQueries(session: SparkSession, key: String): Boolean =
    key.startsWith("spark.sql.") && session.conf.isModifiable(key)

  def prepare(session: SparkSession, definition: QueryDefinition): Unit = {
    definition.settings.foreach { case (key, value) => session.conf.set(key, value) }
    // A driver that is killed while it writes its first file would leave a checkpoint that Spark refuses; that nobody
    // else uses this one is known from its definition and its lock.
    session.conf.set("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart", "false")
    // of an earlier run: tables that are joined may have other files now
    session.sessionState.catalog.invalidateAllCachedTables()
    val catalogs = session.sessionState.catalogManager
    catalogs.setCurrentCatalog(definition.catalog)
    catalogs.setCurrentNamespace(definition.namespace.toArray)
  }
}
