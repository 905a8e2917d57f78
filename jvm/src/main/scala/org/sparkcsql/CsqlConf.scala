package org.sparkcsql

import org.apache.spark.sql.internal.SQLConf

/** The settings of this extension; all of them may be changed in a running session. */
object CsqlConf {
  val NullTime = "spark.csql.nullTime"
  val Notices = "spark.csql.notices"
  val Defaults = "spark.csql.defaults"

  /** `error` (default): a NULL time fails the query. `drop`: the row is left out. */
  def dropsNullTimes(conf: SQLConf): Boolean = oneOf(conf, NullTime, "error", "drop") == "drop"

  /** Whether the defaults a statement relies on are told in the log. */
  def tellsDefaults(conf: SQLConf): Boolean = oneOf(conf, Notices, "true", "false") == "true"

  /** `apply` (default), or `reject`: every default is an error that shows the full query. */
  def rejectsDefaults(conf: SQLConf): Boolean = oneOf(conf, Defaults, "apply", "reject") == "reject"

  private def oneOf(conf: SQLConf, key: String, default: String, other: String): String = {
    val value = conf.getConfString(key, default).trim.toLowerCase(java.util.Locale.ROOT)
    if (value != default && value != other) {
      throw errors.CsqlErrors.runtime(
        "CSQL_SETTING_INVALID",
        "key" -> key,
        "value" -> value,
        "allowed" -> s"$default, $other")
    }
    value
  }
}
