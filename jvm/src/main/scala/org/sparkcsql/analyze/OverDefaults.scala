package org.sparkcsql.analyze

import org.apache.spark.sql.internal.SQLConf
import org.sparkcsql.CsqlConf
import org.sparkcsql.errors.CsqlErrors

/** What an OVER did not say, and what was taken instead. */
private[analyze] object OverDefaults {
  def of(stream: OrderedStream, chain: OverChain): Seq[String] = {
    val time = stream.timeByDefault.map(column => s"$column is the time [ORDER BY $column]")
    if (time.isDefined && CsqlConf.rejectsDefaults(SQLConf.get)) {
      CsqlErrors.analysis(
        "CSQL_DEFAULT_REJECTED",
        chain.own.head.at,
        "default" -> time.get,
        "query" -> s"OVER (… ORDER BY ${stream.timeByDefault.get} ${chain.own.head.frame})"
      )
    }
    time.toSeq ++
      (if (stream.slackByDefault) Some("tuples out of order are late [SLACK 0 SECONDS]") else None)
  }
}
