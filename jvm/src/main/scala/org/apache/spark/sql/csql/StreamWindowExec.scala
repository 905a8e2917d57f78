package org.apache.spark.sql.csql

import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalGroupState, NoTimeout}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.streaming.InternalOutputModes
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.python.streaming.{
  FlatMapGroupsInPandasWithStateExec,
  TransformWithStateInPySparkExec
}
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.operators.stateful.flatmapgroupswithstate.FlatMapGroupsWithStateExec
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode}
import org.apache.spark.util.CompletionIterator
import org.sparkcsql.errors.CsqlErrors
import org.sparkcsql.plan.{StreamClock, StreamProgram}
import org.sparkcsql.stream._

/**
 * The stateful operator. Spark gives state and watermarks only to operators that it knows, by calls
 * of `copy`; so this is one of them, with everything it does replaced, and `copy` gives one of ours.
 * No other file knows of this.
 */
final class StreamWindowExec(
    val spec: StreamSpec,
    info: Option[StatefulOperatorStateInfo],
    batchTimestamp: Option[Long],
    lateWatermark: Option[Long],
    evictionWatermark: Option[Long],
    noState: SparkPlan,
    input: SparkPlan)
    extends FlatMapGroupsWithStateExec(
      null,
      null,
      null,
      null,
      spec.key,
      Nil,
      Nil,
      Nil,
      null,
      info,
      null,
      2,
      InternalOutputModes.Append,
      NoTimeout,
      batchTimestamp,
      lateWatermark,
      evictionWatermark,
      noState,
      false,
      false,
      input
    ) {

  private def fields: Array[Any] =
    Array(spec, info, batchTimestamp, lateWatermark, evictionWatermark, noState, input)

  override def productArity: Int = 7
  override def productElement(i: Int): Any = fields(i)
  override def productIterator: Iterator[Any] = fields.iterator
  override def productPrefix: String = "StreamWindow"
  override def canEqual(other: Any): Boolean = other.isInstanceOf[StreamWindowExec]
  override def equals(other: Any): Boolean = other match {
    case same: StreamWindowExec => (same eq this) || same.fields.sameElements(fields)
    case _ => false
  }
  override def hashCode(): Int = fields.toSeq.hashCode

  override def copy(
      func: (Any, Iterator[Any], LogicalGroupState[Any]) => Iterator[Any],
      keyDeserializer: Expression,
      valueDeserializer: Expression,
      initialStateDeserializer: Expression,
      groupingAttributes: Seq[Attribute],
      initialStateGroupAttrs: Seq[Attribute],
      dataAttributes: Seq[Attribute],
      initialStateDataAttrs: Seq[Attribute],
      outputObjAttr: Attribute,
      stateInfo: Option[StatefulOperatorStateInfo],
      stateEncoder: ExpressionEncoder[Any],
      stateFormatVersion: Int,
      outputMode: OutputMode,
      timeoutConf: GroupStateTimeout,
      batchTimestampMs: Option[Long],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      initialState: SparkPlan,
      hasInitialState: Boolean,
      skipEmittingInitialStateKeys: Boolean,
      child: SparkPlan): FlatMapGroupsWithStateExec =
    new StreamWindowExec(
      spec,
      // Spark expects as many stores to commit as it is told here
      if (single) stateInfo.map(_.copy(numPartitions = 1)) else stateInfo,
      batchTimestampMs,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction,
      initialState,
      child
    )

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan): FlatMapGroupsWithStateExec = copy(child = newLeft, initialState = newRight)

  override lazy val output: Seq[Attribute] = spec.output(child.output)
  override def references: AttributeSet = child.outputSet
  override def producedAttributes: AttributeSet =
    AttributeSet(spec.values ++ spec.added ++ spec.aggregates.map(_.resultAttribute))
  override def shortName: String = "csqlWindow"
  override def simpleString(maxFields: Int): String = s"StreamWindow ${spec.told}"
  override def verboseStringWithOperatorId(): String = s"$formattedNodeName\n${spec.told}\n"

  private def single: Boolean = spec.clustering.isEmpty

  /** Whether the place of an initial state, which this operator has not, is that of the rows of tables. */
  private def hasTables: Boolean = spec.program.isInstanceOf[StreamProgram.Relations]

  override def requiredChildDistribution: Seq[Distribution] = {
    val rows =
      if (single) AllTuples
      else StatefulOperatorPartitioning.getCompatibleDistribution(spec.clustering, getStateInfo, conf)
    rows :: (if (hasTables) BroadcastDistribution(IdentityBroadcastMode) else UnspecifiedDistribution) :: Nil
  }

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = {
    val order = if (spec.waits) Nil else if (spec.preAggregated) spec.key else spec.key ++ spec.order
    Seq(order.map(SortOrder(_, Ascending)), Nil)
  }

  override def outputPartitioning: Partitioning =
    if (single) SinglePartition else UnknownPartitioning(child.outputPartitioning.numPartitions)

  /** When the clock alone gives the operator something to do, in milliseconds. */
  private lazy val nextDue = {
    val earliest = new EarliestInstant
    sparkContext.register(earliest, "next due")
    earliest
  }

  /** Since when the watermark has stood still, in milliseconds. */
  private lazy val idleSince = {
    val earliest = new EarliestInstant
    sparkContext.register(earliest, "idle since")
    earliest
  }

  /** Where time stands as long as there is no watermark, in milliseconds. */
  private lazy val standsAt = {
    val earliest = new EarliestInstant
    sparkContext.register(earliest, "stands at")
    earliest
  }

  private val watermarks = spec.clock match {
    case clock: StreamClock.Watermark => Some(clock)
    case _ => None
  }

  override def shouldRunAnotherBatch(newWatermark: Long): Boolean = spec.clock match {
    case StreamClock.Arrival => false
    case StreamClock.Internal => nextDue.value <= System.currentTimeMillis()
    case _: StreamClock.Watermark =>
      eventTimeWatermarkForEviction.exists(newWatermark > _) || spec.idleMillis.exists(isDueByClock(
        newWatermark,
        _))
  }

  private def isDueByClock(watermark: Long, timeout: Long): Boolean = spec.movedByClock.isDefined && {
    val from = if (watermark > 0) exact(watermark) else standsAt.value
    from < Long.MaxValue &&
    nextDue.value <= IdleClock.moved(from, idleSince.value, System.currentTimeMillis(), timeout)
  }

  /** One millisecond short, because Spark's own operators take rows at the watermark for late. */
  override def produceOutputWatermark(watermark: Long): Option[Long] = spec.clock match {
    case StreamClock.Arrival => None
    case _ => Some(math.max(0L, OutputWatermark(spec, exact(watermark)) - 1))
  }

  private def exact(watermark: Long): Long =
    if (watermark > 0 && watermarks.exists(_.shortened)) watermark + 1 else watermark

  /** Watermark 0 is Spark's word for none. */
  private def instant(watermark: Option[Long]): Long = spec.clock match {
    case StreamClock.Arrival => Long.MaxValue
    case StreamClock.Internal => Math.multiplyExact(batchTimestampMs.get, 1000L)
    case StreamClock.Watermark(unit, _) =>
      watermark.filter(_ > 0).fold(Long.MinValue)(w => unit.fromMillis(exact(w)))
  }

  private def late: Long = if (watermarks.isEmpty) Long.MinValue else instant(eventTimeWatermarkForLateEvents)

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int): List[StateSchemaValidationResult] = {
    requireFinalRows(child)
    Fingerprint.check(getStateInfo, Fingerprint.of(spec, child.output), hadoopConf)
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      StateShelf.keySchema,
      0,
      StateShelf.valueSchema)
    List(
      StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
        getStateInfo,
        hadoopConf,
        List(schema),
        session.sessionState,
        stateSchemaVersion))
  }

  /** In other modes than append an operator below gives rows that it takes back later, which no window can. */
  private def requireFinalRows(plan: SparkPlan): Unit = plan.foreach { node =>
    val mode = node match {
      case save: StateStoreSaveExec => save.outputMode
      case save: SessionWindowStateStoreSaveExec => save.outputMode
      case groups: FlatMapGroupsWithStateExec => Some(groups.outputMode)
      case groups: FlatMapGroupsInPandasWithStateExec => Some(groups.outputMode)
      case processor: TransformWithStateExec => Some(processor.outputMode)
      case processor: TransformWithStateInPySparkExec => Some(processor.outputMode)
      case _ => None
    }
    mode.filter(_ != InternalOutputModes.Append).foreach(found =>
      throw CsqlErrors.runtime("CSQL_OUTPUT_MODE", "mode" -> found.toString.toLowerCase(Locale.ROOT)))
  }

  override def operatorStateMetadata(stateSchemaPaths: List[List[String]]): OperatorStateMetadata =
    OperatorStateMetadataV1(
      OperatorInfoV1(getStateInfo.operatorId, shortName),
      Array(StateStoreMetadataV1(
        StateStoreId.DEFAULT_STORE_NAME,
        0,
        getStateInfo.numPartitions))
    )

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric("csqlStateMicros", "microseconds in the state store"),
    StatefulOperatorCustomSumMetric(
      "csqlKernelMicros",
      "microseconds in windows and aggregates, reading their input included")
  )

  private def tellLate(plan: SparkPlan): Unit = plan match {
    case _: StreamWindowExec =>
    case filter: LateFilterExec => filter.bind(late, longMetric("numRowsDroppedByWatermark"))
    case other => other.children.foreach(tellLate)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics
    val columns = child.output
    val clock = BatchClock(
      getStateInfo.storeVersion,
      instant(eventTimeWatermarkForEviction),
      if (spec.preAggregated) Long.MinValue else late,
      eventTimeWatermarkForEviction.fold(0L)(exact),
      batchTimestampMs.get
    )
    tellLate(child)
    val (task, due, since, stands) = (spec, nextDue, idleSince, standsAt)
    val (outputRows, updated, removed) =
      (longMetric("numOutputRows"), longMetric("numUpdatedStateRows"), longMetric("numRemovedStateRows"))
    val (dropped, updateTime, commitTime) =
      (longMetric("numRowsDroppedByWatermark"), longMetric("allUpdatesTimeMs"), longMetric("commitTimeMs"))
    val runOf = s"${getStateInfo.queryRunId}/${getStateInfo.operatorId}"
    val tables = if (hasTables) Some(right.executeBroadcast[Array[InternalRow]]()) else None
    val (stateTime, kernelTime) = (longMetric("csqlStateMicros"), longMetric("csqlKernelMicros"))
    BlockShuffle(child)
      .mapPartitionsWithStateStore[InternalRow](
        getStateInfo,
        StateShelf.keySchema,
        StateShelf.valueSchema,
        NoPrefixKeyStateEncoderSpec(StateShelf.keySchema),
        session.sessionState,
        Some(session.streams.stateStoreCoordinator)
      ) { (store, rows) =>
        val counts = new StateCounts
        val partition = org.apache.spark.TaskContext.getPartitionId()
        val started = System.nanoTime()
        val python = new PythonCalls(task, columns)
        val run = new PartitionRun(
          python.spec,
          columns,
          Beside(tables.fold(Array.empty[InternalRow])(_.value), runOf),
          clock,
          partition,
          store,
          rows,
          counts)
        val counted = python.answered(run).map { row =>
          outputRows += 1
          row
        }
        CompletionIterator[InternalRow, Iterator[InternalRow]](
          counted, {
            val total = System.nanoTime() - started
            updated += counts.updated
            removed += counts.removed
            dropped += counts.late
            stateTime += counts.stateNanos / 1000
            kernelTime += (total - counts.stateNanos) / 1000
            updateTime += total / 1000000
            due.add(run.nextDue)
            since.add(run.idleSince)
            stands.add(run.standsAt)
            commitTime += timeTakenMs(store.commit())
            setStoreMetrics(store)
            setOperatorMetrics()
          }
        )
      }
  }
}

object StreamWindowExec {
  def apply(spec: StreamSpec, child: SparkPlan): StreamWindowExec =
    apply(spec, child, LocalTableScanExec(Nil, Nil, None))

  /** @param tables the rows of tables beside those of streams */
  def apply(spec: StreamSpec, child: SparkPlan, tables: SparkPlan): StreamWindowExec =
    new StreamWindowExec(spec, None, None, None, None, tables, child)
}
