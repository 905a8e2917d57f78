"""A streaming answer, read while it grows."""

from __future__ import annotations

import uuid
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.failures import Failure, sentence
from spark_csql.cli.presentable import Presentable


class Following:
    """Runs a streaming answer into memory and hands out the rows that have come since the last look."""

    def __init__(self, spark: SparkSession, frame: DataFrame, name: str | None = None) -> None:
        self.spark = spark
        self.columns = frame.columns
        self.name = name or f"csql_view_{uuid.uuid4().hex[:8]}"
        self._told = Presentable(frame)
        rows = self._told.frame.writeStream.format("memory").queryName(self.name)
        self.query = rows.outputMode("append").start()
        self.seen = 0

    def fresh(self) -> list[tuple[Any, ...]]:
        rows = self._told.read(self.spark.table(self.name).offset(self.seen).collect())
        self.seen += len(rows)
        return rows

    def wait(self, seconds: int) -> bool:
        """Whether the answer has ended; a failure is raised."""
        try:
            return bool(self.query.awaitTermination(seconds))
        except Exception as error:
            raise Failure(sentence(error)) from error

    def close(self) -> None:
        """Ends the answer, and lets go the rows that it has brought."""
        try:
            self.query.stop()
        finally:
            self.spark.catalog.dropTempView(self.name)
