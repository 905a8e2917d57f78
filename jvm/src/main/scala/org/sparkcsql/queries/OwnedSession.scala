package org.sparkcsql.queries

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** The session that a continuous query runs in: its own, so that it outlives the one that made it. */
private[queries] object OwnedSession {

  /** The settings that a session has made and that tell how a query is read and run. */
  def settings(maker: SparkSession): Map[String, String] = {
    val fresh = maker.newSession().sessionState.conf.getAllConfs
    val made = maker.sessionState.conf.getAllConfs.filter { case (key, value) =>
      isOfQueries(maker, key) && !fresh.get(key).contains(value)
    }
    // Always said: its default is the machine's, and the next application may run on another one.
    val zone = SQLConf.SESSION_LOCAL_TIMEZONE
    made + (zone.key -> maker.sessionState.conf.getConf(zone))
  }

  private def isOfQueries(session: SparkSession, key: String): Boolean =
    key.startsWith("spark.csql.") || (key.startsWith("spark.sql.") && session.conf.isModifiable(key))

  def of(any: SparkSession, definition: QueryDefinition): SparkSession = {
    val session = any.newSession()
    definition.settings.foreach { case (key, value) => session.conf.set(key, value) }
    // A driver that is killed while it writes its first file would leave a checkpoint that Spark refuses; that nobody
    // else uses this one is known from its definition and its lock.
    session.conf.set("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart", "false")
    val catalogs = session.sessionState.catalogManager
    catalogs.setCurrentCatalog(definition.catalog)
    catalogs.setCurrentNamespace(definition.namespace.toArray)
    session
  }
}
