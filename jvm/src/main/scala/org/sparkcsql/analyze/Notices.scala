package org.sparkcsql.analyze

import java.util.{Collections, WeakHashMap}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.CsqlConf
import org.sparkcsql.plan.BlockSummary

/** Tells the user which defaults a statement relies on, each once a statement. */
object Notices extends Logging {
  private val told = Collections.synchronizedMap(new WeakHashMap[QueryPlanningTracker, Set[String]])

  def tell(summaries: Seq[BlockSummary]): Unit = {
    val defaults = summaries.flatMap(_.defaults).distinct
    if (defaults.nonEmpty && CsqlConf.tellsDefaults(SQLConf.get)) {
      val known = QueryPlanningTracker.get.fold(Set.empty[String])(told.getOrDefault(_, Set.empty))
      val fresh = defaults.filterNot(known)
      if (fresh.nonEmpty) {
        QueryPlanningTracker.get.foreach(told.put(_, known ++ fresh))
        logWarning(s"By default, ${fresh.mkString("; ")}. (${CsqlConf.Notices}=false hides this notice.)")
      }
    }
  }
}
