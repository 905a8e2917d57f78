"""Spark with our extension: continuous queries and plain SQL run in the same warm session."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import spark_csql
from pyspark.sql import DataFrame

from bench.answers import sums
from bench.data import HOME, START_MICROS
from bench.runs import CollectedHeap, Run
from bench.source import Source

T = f"(unix_micros(t) - {START_MICROS}) / 1e9"
MEGABYTE = 2**20


class SparkEngine:
    def __init__(self, cores: int) -> None:
        logs = HOME / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        self.heap = CollectedHeap(logs / f"spark-{cores}.gc.log")
        self.spark = spark_csql.session(
            {
                "spark.csql.notices": "false",
                "spark.driver.memory": "8g",
                # A heap of one size: the collection before each run would shrink it.
                "spark.driver.extraJavaOptions": f"-Xms8g {self.heap.option}",
                "spark.sql.session.timeZone": "UTC",
                "spark.sql.shuffle.partitions": str(cores),
            },
            master=f"local[{cores}]",
        )

    def run(self, question: str, columns: Sequence[str], source: Source) -> Run:
        """Ask, in SQL over ``cpu``; without ``columns`` the answer is thrown away as it comes."""
        self.cpu(source).createOrReplaceTempView("cpu")
        jvm: Any = self.spark._jvm
        before = next((stage.stageId() for stage in self.stages()), -1)
        self.heap.reset()
        jvm.System.gc()
        start = time.perf_counter()
        answer: tuple[float, ...] = ()
        if columns:
            answer = self.spark.sql(f"SELECT {', '.join(sums(columns, T))} FROM ({question})").collect()[0]
        else:
            self.spark.sql(question).write.format("noop").mode("overwrite").save()
        seconds = time.perf_counter() - start
        stages = takewhile(lambda stage: stage.stageId() > before, self.stages())
        spilled = sum(stage.diskBytesSpilled() for stage in stages) / MEGABYTE
        return Run(seconds, tuple(answer), self.heap.peak_mb(), spilled)

    def cpu(self, source: Source) -> DataFrame:
        return self.spark.read.parquet(*source.data.paths()).where(source.condition)

    def stages(self) -> Iterator[Any]:
        """What Spark says of its stages, the newest first."""
        context: Any = self.spark.sparkContext
        scala = context._jsc.sc()
        scala.listenerBus().waitUntilEmpty()
        no_quantiles = context._gateway.new_array(context._jvm.double, 0)
        found = scala.statusStore().stageList(None, False, False, no_quantiles, None)
        return (found.apply(number) for number in range(found.size()))
