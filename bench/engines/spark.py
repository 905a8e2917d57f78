"""Spark on tables: continuous queries and plain SQL run in the same warm session."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bench.answers import sums
from bench.data import Data
from bench.engines.spark_session import SparkSession, T
from bench.runs import Run


class SparkEngine(SparkSession):
    def run(self, question: str, columns: Sequence[str], data: Data) -> Run:
        """Ask, in SQL over ``cpu``; without ``columns`` the answer is thrown away as it comes."""
        self.spark.read.parquet(*data.paths()).createOrReplaceTempView("cpu")
        before = self.settle()
        start = time.perf_counter()
        answer: tuple[float, ...] = ()
        if columns:
            answer = self.spark.sql(f"SELECT {', '.join(sums(columns, T))} FROM ({question})").collect()[0]
        else:
            self.spark.sql(question).write.format("noop").mode("overwrite").save()
        seconds = time.perf_counter() - start
        return Run(data.count, seconds, tuple(answer), self.heap.peak_mb(), self.spilled_since(before))
