"""Spark with the aggregates of the benchmark, on tables and on streams."""

from __future__ import annotations

from collections.abc import Sequence

import spark_csql

from bench.data import HOME, Data
from bench.engines.spark import SparkEngine
from bench.engines.spark_session import SparkSession
from bench.engines.spark_stream import SparkStreamEngine
from bench.queries import aggregates
from bench.runs import Run

SIZES = (100, 1_000, 10_000, 100_000)  # of windows, in tuples
IN_SCALA = HOME / "scala-aggregates" / "program.jar"


class AggregatesEngine(SparkEngine):
    def __init__(self, cores: int) -> None:
        SparkSession.__init__(self, cores, IN_SCALA if IN_SCALA.exists() else None)
        for statement in [*aggregates.in_sql(SIZES), *(aggregates.IN_SCALA if IN_SCALA.exists() else [])]:
            self.spark.sql(statement)
        for window, of in ((False, aggregates.PythonSum), (True, aggregates.PythonWindowSum)):
            spark_csql.aggregate(self.spark, "python_sum(x DOUBLE) : DOUBLE", of, window=window)

    def run(self, question: str, columns: Sequence[str], data: Data) -> Run:
        self.spark.read.parquet(*data.paths()).createOrReplaceTempView("cpu")
        self.spark.sql("CREATE OR REPLACE TEMPORARY STREAM ordered ORDER BY ts AS SELECT * FROM cpu")
        return super().run(question, columns, data)


class AggregatesStreamEngine(SparkStreamEngine):
    def __init__(self, cores: int) -> None:
        SparkSession.__init__(self, cores)
        for statement in aggregates.in_sql(()):
            self.spark.sql(statement)
