"""Spark that reads files as a stream, one or two in each micro-batch.

The first half of them fills the windows and warms up, the second half counts.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import SparkSession as Session
from pyspark.sql import functions as f
from pyspark.sql.streaming.listener import StreamingQueryProgress

from bench.answers import sums
from bench.data import HOME, Data
from bench.engines.spark_session import SparkSession, T
from bench.runs import Run

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PACKAGE = "org.apache.spark.sql.execution.streaming.state"
SCHEMA = "id INT, site INT, load DOUBLE, ts TIMESTAMP, seq BIGINT"


@dataclass(frozen=True)
class StreamQuestion:
    """What to make of the arriving rows, and which of Spark's state stores to use: HDFSBacked or RocksDB."""

    answer: Callable[[Session, DataFrame], DataFrame]
    store: str


class SparkStreamEngine(SparkSession):
    files_at_once = 1

    def __init__(self, cores: int) -> None:
        by_hand = HOME / "spark-peers" / "program.jar"
        super().__init__(cores, by_hand if by_hand.exists() else None)

    def run(self, question: StreamQuestion, columns: Sequence[str], data: Data) -> Run:
        data.paths()
        self.spark.conf.set(PROVIDER, f"{PACKAGE}.{question.store}StateStoreProvider")
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", self.files_at_once)
        answers = question.answer(self.spark, reader.parquet(str(data.folder)))
        settled = f"CASE WHEN unix_micros(t) < {data.settled_micros} THEN v END"
        expressions = [f.expr(each).alias(f"sum{place}") for place, each in enumerate(sums(columns, T))]
        before = self.settle()
        batches = self.batches(answers.withColumn("v", f.expr(settled)).observe("answers", *expressions))
        parts = [batch.observedMetrics["answers"] for batch in batches]
        counted = [batch for batch in batches if batch.numInputRows > 0]
        counted = counted[len(counted) // 2 :]
        return Run(
            sum(batch.numInputRows for batch in counted),
            sum(batch.durationMs["triggerExecution"] for batch in counted) / 1000,
            tuple(sum(part[place] or 0 for part in parts) for place in range(len(expressions))),
            self.heap.peak_mb(),
            self.spilled_since(before),
            {**state_of(counted), **settled_state_of(batches[-1])},
        )

    def batches(self, answers: DataFrame) -> list[StreamingQueryProgress]:
        """Run the query until all files are read; what it says of its micro-batches."""
        checkpoint = tempfile.mkdtemp(prefix="checkpoint-", dir=HOME)
        writer = answers.writeStream.format("noop").trigger(availableNow=True)
        try:
            query = writer.option("checkpointLocation", checkpoint).start()
            query.awaitTermination()
            return list(query.recentProgress)
        finally:
            shutil.rmtree(checkpoint)


class TwoFilesAtOnce(SparkStreamEngine):
    """One for each core: a file of one row group is read by one of them."""

    files_at_once = 2


def state_of(batches: Sequence[StreamingQueryProgress]) -> dict[str, float]:
    """What the last stateful operator held at the end, and how long its tasks took together."""
    operators = [batch.stateOperators[-1] for batch in batches if batch.stateOperators]
    if not operators:
        return {}
    told = [operator.customMetrics for operator in operators]
    return {
        "state bytes": operators[-1].memoryUsedBytes,
        "commit s": sum(operator.commitTimeMs for operator in operators) / 1e3,
        "state s": sum(metrics.get("csqlStateMicros", 0) for metrics in told) / 1e6,
        "kernel s": sum(metrics.get("csqlKernelMicros", 0) for metrics in told) / 1e6,
    }


def settled_state_of(last: StreamingQueryProgress) -> dict[str, float]:
    """What is left when the watermark has passed all rows but the last: no rows that wait for it."""
    told = [operator.customMetrics.get("stateOnCurrentVersionSizeBytes") for operator in last.stateOperators]
    return {"settled state bytes": told[-1]} if told and told[-1] is not None else {}
