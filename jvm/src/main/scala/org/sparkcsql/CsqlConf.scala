package org.sparkcsql

import java.util.concurrent.TimeUnit

import scala.util.Try

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

/** The settings of this extension; all of them may be changed in a running session. */
object CsqlConf {
  val NullTime = "spark.csql.nullTime"
  val Notices = "spark.csql.notices"
  val Defaults = "spark.csql.defaults"
  val IdleTimeout = "spark.csql.idleTimeout"

  /** `error` (default): a NULL time fails the query. `drop`: the row is left out. */
  def dropsNullTimes(conf: SQLConf): Boolean = oneOf(conf, NullTime, "error", "drop") == "drop"

  /** Whether the defaults a statement relies on are told in the log. */
  def tellsDefaults(conf: SQLConf): Boolean = oneOf(conf, Notices, "true", "false") == "true"

  /** `apply` (default), or `reject`: every default is an error that shows the full query. */
  def rejectsDefaults(conf: SQLConf): Boolean = oneOf(conf, Defaults, "apply", "reject") == "reject"

  /** How long a stream must be silent until the clock moves its time, in milliseconds; off by default. */
  def idleMillis(conf: SQLConf): Option[Long] = {
    val value = conf.getConfString(IdleTimeout, "off").trim
    if (value.equalsIgnoreCase("off")) None
    else {
      val millis = Try(JavaUtils.timeStringAs(value, TimeUnit.MILLISECONDS)).toOption.filter(_ > 0)
      Some(millis.getOrElse(throw invalid(IdleTimeout, value, "off, or a time such as 30s or 5min")))
    }
  }

  private def oneOf(conf: SQLConf, key: String, default: String, other: String): String = {
    val value = conf.getConfString(key, default).trim.toLowerCase(java.util.Locale.ROOT)
    if (value != default && value != other) throw invalid(key, value, s"$default, $other")
    value
  }

  private def invalid(key: String, value: String, allowed: String) =
    errors.CsqlErrors.runtime("CSQL_SETTING_INVALID", "key" -> key, "value" -> value, "allowed" -> allowed)
}
