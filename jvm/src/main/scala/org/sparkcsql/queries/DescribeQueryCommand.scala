package org.sparkcsql.queries

import java.time.Instant

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.sparkcsql.plan.DescribeContinuousQuery

/** `DESCRIBE CONTINUOUS QUERY`: how it is defined, and how its last run in this application fares. */
final case class DescribeQueryCommand(statement: DescribeContinuousQuery) extends QueryCommand {
  override val output: Seq[Attribute] = texts("name", "value")

  override def execute(session: SparkSession): Seq[Row] = {
    val registry = QueryRegistry.of(session)
    val status = registry.status(find(session, statement.name))
    val definition = find(session, statement.name) // again: the status may just have been written
    val run = registry.run(definition)
    val last = run.flatMap(r => Option(r.query.lastProgress))
    val defined = Seq(
      "name" -> definition.name,
      "status" -> status.name,
      "since" -> QueryTimes.text(definition.since),
      "text" -> definition.text,
      "table" -> definition.tableName.unquotedString,
      "trigger" -> definition.triggerText,
      "checkpoint" -> definition.checkpoint
    )
    val error =
      for (kind <- definition.errorClass; message <- definition.errorMessage) yield s"$kind: $message"
    val all = defined ++ counted(run, last) :+ ("last error" -> error.getOrElse(""))
    all.map { case (name, value) => Row(name, value) }
  }

  private def counted(
      run: Option[RunningQuery],
      last: Option[StreamingQueryProgress]): Seq[(String, String)] = {
    def total(count: QueryTotals => Any) = run.map(r => count(r.totals).toString).getOrElse("")
    def now(value: StreamingQueryProgress => Any) = last.map(value(_).toString).getOrElse("")
    Seq(
      "input rows per second" -> now(p => rate(p.inputRowsPerSecond)),
      "processed rows per second" -> now(p => rate(p.processedRowsPerSecond)),
      "batches" -> total(_.batches),
      "last batch took" -> now(p => seconds(p.durationMs.getOrDefault("triggerExecution", 0L))),
      "watermark" -> total(_.watermark.getOrElse("")),
      "lag behind now" -> total(totals => totals.eventTime.orElse(totals.watermark).fold("")(lag)),
      "state rows" -> now(_.stateOperators.map(_.numRowsTotal).sum),
      "state bytes" -> now(_.stateOperators.map(_.memoryUsedBytes).sum),
      "late rows" -> total(_.lateRows),
      "rejected rows" -> total(_.rejectedRows)
    )
  }

  private def rate(value: Double): Double = if (value.isNaN || value.isInfinite) 0.0 else value

  private def lag(instant: String): String =
    seconds(System.currentTimeMillis() - Instant.parse(instant).toEpochMilli)

  private def seconds(millis: Long): String = s"${BigDecimal(millis) / 1000} seconds"
}
