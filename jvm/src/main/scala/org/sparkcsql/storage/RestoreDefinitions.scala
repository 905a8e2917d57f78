package org.sparkcsql.storage

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic
import org.sparkcsql.queries.QueryTable

/**
 * Changes no plan: before an application analyses its first statement, it makes known what earlier
 * applications have left in the warehouse. There is no other moment that every client passes.
 */
final case class RestoreDefinitions(session: SparkSession) extends Rule[LogicalPlan] with Logging {
  private lazy val restored: Unit = RestoreDefinitions.once(session.asInstanceOf[classic.SparkSession]) {
    mine =>
      restore("aggregates")(new AggregateStore(mine).restore())
      restore("streams")(new StreamStore(mine).restore())
      restore("continuous queries")(QueryTable.restore(mine))
  }

  /** A plain statement must not fail because of stored definitions it has nothing to do with. */
  private def restore(kind: String)(read: => Unit): Unit =
    try read
    catch { case NonFatal(e) => logWarning(s"The stored definitions of $kind could not be read", e) }

  override def apply(plan: LogicalPlan): LogicalPlan = {
    restored
    plan
  }
}

object RestoreDefinitions {
  private val applications = ConcurrentHashMap.newKeySet[String]()

  private def once(session: classic.SparkSession)(restore: classic.SparkSession => Unit): Unit =
    applications.synchronized {
      val application = session.sparkContext.applicationId
      if (applications.add(application)) {
        session.sparkContext.addSparkListener(new SparkListener {
          override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit =
            applications.remove(application)
        })
        restore(session)
      }
    }
}
