package org.sparkcsql.stream

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.sparkcsql.aggregates.UserAggregate
import org.sparkcsql.errors.CsqlErrors

/**
 * What the state of an operator was made for. Spark's own check sees only bytes, so this text lies
 * beside the state; a query that means something else, or needs other columns, is refused.
 */
object Fingerprint {
  private val FileName = "_csql_window"

  /** To be raised when the layout of the state changes. */
  private val Format = 8

  def of(spec: StreamSpec, input: Seq[Attribute]): String = {
    def names(columns: Seq[Attribute]): String = columns.map(_.name).mkString(", ")
    val functions = spec.aggregates.map { function =>
      val text = function.aggregateFunction match {
        case call: UserAggregate => s"${call.name} ${call.programs.identity}"
        case other => (other.prettyName +: flags(other)).mkString(" ")
      }
      val arguments = function.aggregateFunction.children.map(unqualified).mkString(", ")
      val filter = function.filter.fold("")(f => s" FILTER ${unqualified(f)}")
      s"$text(${if (function.isDistinct) "DISTINCT " else ""}$arguments)$filter"
    }
    Seq(
      s"format $Format",
      s"means ${spec.described}",
      s"program ${spec.program}",
      s"clock ${spec.clock}",
      s"order ${names(spec.time.toSeq ++ spec.ties).toLowerCase(Locale.ROOT)}",
      s"key ${names(spec.clustering)}",
      s"groups ${names(spec.grouping)}",
      s"functions ${functions.mkString(", ")}",
      s"columns ${input.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")}"
    ).mkString("\n").replaceAll(Generated, "$1")
  }

  /** What a function does otherwise than by default, such as IGNORE NULLS. */
  private def flags(function: AggregateFunction): Seq[String] = function.productIterator.collect {
    case flag @ (true | _: Double | _: String | Some(true)) => flag.toString
  }.toSeq

  /** Whether a column has its table's name before it depends on how Spark came by it. */
  def unqualified(expression: Expression): String =
    expression.transform { case column: AttributeReference => column.withQualifier(Nil) }.sql

  /** Spark numbers the columns that it makes up anew each time it plans. */
  private val Generated = "(_common_expr)_\\d+"

  def check(info: StatefulOperatorStateInfo, wanted: String, hadoopConf: Configuration): Unit = {
    val folder = new Path(info.checkpointLocation, info.operatorId.toString)
    val file = new Path(folder, FileName)
    val files = CheckpointFileManager.create(folder, hadoopConf)
    if (files.exists(file)) {
      val in = files.open(file)
      val found =
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      if (found != wanted) {
        throw CsqlErrors.runtime("CSQL_STATE_CHANGED", "difference" -> difference(found, wanted))
      }
    } else {
      files.mkdirs(folder)
      val out = files.createAtomic(file, overwriteIfPossible = false)
      try {
        out.write(wanted.getBytes(UTF_8))
        out.close()
      } catch {
        case e: Throwable =>
          out.cancel()
          throw e
      }
    }
  }

  private def difference(found: String, wanted: String): String = {
    val pairs = found.linesIterator.toSeq.zipAll(wanted.linesIterator.toSeq, "nothing", "nothing")
    pairs.collect { case (was, is) if was != is => s"the state has \"$was\", the query \"$is\"" }.mkString(
      "; ")
  }
}
