package org.sparkcsql.queries

import java.util.Locale

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.types.StructType
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.QueryTrigger

/** Starts a defined query from its checkpoint, in a session of its own. */
private[queries] final class QueryStart(owned: SparkSession, definition: QueryDefinition, lock: QueryLock) {

  /** @param onEnd called when the run has ended, by itself or not */
  def start(onEnd: RunningQuery => Unit): RunningQuery = {
    OwnedSession.prepare(owned, definition)
    val answer = owned.sql(definition.text)
    if (shape(answer.schema) != shape(definition.schema))
      CsqlErrors.analysis(
        "CSQL_QUERY_CHANGED",
        Origin(),
        "name" -> definition.name,
        "before" -> definition.schema.toDDL,
        "now" -> answer.schema.toDDL)
    @volatile var run: RunningQuery = null
    lazy val totals: QueryTotals = new QueryTotals(() => {
      owned.streams.removeListener(totals)
      Option(run).foreach(onEnd)
    })
    owned.streams.addListener(totals)
    val query =
      try started(answer)
      catch {
        case e: Throwable =>
          owned.streams.removeListener(totals)
          throw e
      }
    run = new RunningQuery(definition.name, query, totals, lock)
    run
  }

  /** As the table reads it: under its own names, whose case some formats keep, and with its options. */
  private def started(answer: DataFrame): StreamingQuery =
    answer
      .toDF(definition.schema.fieldNames.toSeq: _*)
      .writeStream
      .queryName(definition.name)
      .format(definition.provider)
      .options(definition.options)
      .outputMode(OutputMode.Append())
      .option("checkpointLocation", definition.checkpoint)
      .trigger(trigger)
      .toTable(definition.tableName.copy(catalog = Some("spark_catalog")).quotedString)

  private def shape(columns: StructType): Seq[(String, String)] =
    columns.map(c => (c.name.toLowerCase(Locale.ROOT), c.dataType.sql.replace(" NOT NULL", "")))

  private def trigger: Trigger = definition.trigger match {
    case QueryTrigger.AtOnce => Trigger.ProcessingTime(0)
    case QueryTrigger.Every(millis) => Trigger.ProcessingTime(millis)
    case QueryTrigger.AvailableNow => Trigger.AvailableNow()
  }
}
