package org.apache.spark.sql.csql

import org.apache.spark.{JobArtifactSet, TaskContext}
import org.apache.spark.api.python.{ChainedPythonFunctions, PythonEvalType, PythonFunction}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.catalyst.expressions.PythonUDF
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogManager
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.python.{ArrowPythonRunner, PythonSQLMetrics}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnarBatch}

/**
 * A function of Python that a session has registered, as it is sent to tasks: Spark tells its own packages
 * alone what such a function is.
 */
final class RegisteredPython private (function: PythonFunction, artifacts: Option[String])
    extends Serializable {

  /**
   * Runs the function in a Python worker of Spark's, as mapInArrow does: one iterator of batches in, one out.
   *
   * @param batches asked for as the worker has room for more
   * @param input the columns of the rows in them
   */
  def run(batches: Iterator[Iterator[InternalRow]], input: StructType): Iterator[ColumnarBatch] = {
    val conf = SQLConf.get
    val runner = new ArrowPythonRunner(
      Seq((ChainedPythonFunctions(Seq(function)), 0L)),
      PythonEvalType.SQL_MAP_ARROW_ITER_UDF,
      Array(Array(0)),
      new StructType().add("struct", input),
      conf.sessionLocalTimeZone,
      conf.arrowUseLargeVarTypes,
      ArrowPythonRunner.getPythonRunnerConfMap(conf),
      RegisteredPython.metrics(),
      artifacts,
      None
    )
    val context = TaskContext.get()
    runner
      .compute(batches.map(_.map(InternalRow(_))), context.partitionId(), context)
      .map(RegisteredPython.columns)
  }
}

object RegisteredPython {

  /** What is registered under a name, with the type that it says it returns. */
  def find(session: SparkSession, name: String): Option[(RegisteredPython, DataType)] = {
    val identifier = FunctionIdentifier(
      name,
      Some(CatalogManager.SESSION_NAMESPACE),
      Some(CatalogManager.SYSTEM_CATALOG_NAME))
    session.sessionState.functionRegistry.lookupFunctionBuilder(identifier).map(_(Nil)).collect {
      case udf: PythonUDF =>
        val artifacts = JobArtifactSet.getCurrentJobArtifactState.map(_.uuid)
        (new RegisteredPython(udf.func, artifacts), udf.dataType)
    }
  }

  /** What the runner counts for; nobody looks at it. */
  private def metrics(): Map[String, SQLMetric] =
    (PythonSQLMetrics.pythonSizeMetricsDesc ++ PythonSQLMetrics.pythonTimingMetricsDesc ++
      PythonSQLMetrics.pythonOtherMetricsDesc).map { case (name, _) => name -> new SQLMetric("sum") }

  /** The columns come as fields of one. */
  private def columns(batch: ColumnarBatch): ColumnarBatch = {
    val struct = batch.column(0).asInstanceOf[ArrowColumnVector]
    val fields = struct.dataType.asInstanceOf[StructType].indices
    val flat = new ColumnarBatch(fields.map(struct.getChild(_)).toArray)
    flat.setNumRows(batch.numRows())
    flat
  }
}
