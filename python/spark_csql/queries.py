"""Continuous queries as Python objects, made of SQL statements only: they work on Spark Connect too."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pyspark.sql import SparkSession

from spark_csql.errors import QueryFailedError
from spark_csql.quoting import quoted

RUNNING = "RUNNING"
FAILED = "FAILED"
AVAILABLE_NOW = "AVAILABLE NOW"
_LOOK_EVERY_SECONDS = 0.2


@dataclass(frozen=True)
class ContinuousQuery:
    """A handle on a continuous query, with the words of PySpark's StreamingQuery.

    It holds only the name: every call asks the engine, so a handle stays good across sessions.
    """

    spark: SparkSession
    name: str

    @property
    def status(self) -> str:
        """RUNNING, STOPPED, FAILED or FINISHED."""
        return self.lastProgress["status"]

    @property
    def isActive(self) -> bool:
        return self.status == RUNNING

    @property
    def table(self) -> str:
        """The table that takes the answer."""
        return self.lastProgress["table"]

    @property
    def lastProgress(self) -> dict[str, str]:
        """What DESCRIBE CONTINUOUS QUERY tells: definition, rates, watermark, state, late rows, error."""
        rows = self.spark.sql(f"DESCRIBE CONTINUOUS QUERY {quoted(self.name)}").collect()
        return {row["name"]: row["value"] for row in rows}

    @property
    def runsHere(self) -> bool:
        """Whether it runs in the application of this session, and so ends with it."""
        told = self.lastProgress
        return told["status"] == RUNNING and told["batches"] != ""

    @property
    def ends(self) -> bool:
        """Whether it processes what there is and then ends."""
        return self.lastProgress["trigger"] == AVAILABLE_NOW

    def exception(self) -> str | None:
        """The last error of a query that has failed."""
        told = self.lastProgress
        return told["last error"] if told["status"] == FAILED else None

    def awaitTermination(self, timeout: float | None = None) -> bool:
        """Wait until the query has ended; False if it still runs after ``timeout`` seconds.

        A query that fails raises an error with its message.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            told = self.lastProgress
            if told["status"] == FAILED:
                raise QueryFailedError(f"The continuous query {self.name} has failed: {told['last error']}")
            if told["status"] != RUNNING:
                return True
            if end is not None and time.monotonic() >= end:
                return False
            time.sleep(_LOOK_EVERY_SECONDS)

    def stop(self) -> None:
        self.spark.sql(f"STOP CONTINUOUS QUERY {quoted(self.name)}")

    def resume(self) -> None:
        self.spark.sql(f"RESUME CONTINUOUS QUERY {quoted(self.name)}")

    def drop(self) -> None:
        """Stop and forget it; its table stays."""
        self.spark.sql(f"DROP CONTINUOUS QUERY {quoted(self.name)}")


def queries(spark: SparkSession, like: str | None = None) -> list[ContinuousQuery]:
    """The continuous queries of the warehouse, or those whose name has the pattern ``like``."""
    text = "SHOW CONTINUOUS QUERIES" if like is None else "SHOW CONTINUOUS QUERIES LIKE :pattern"
    rows = spark.sql(text, args=None if like is None else {"pattern": like}).collect()
    return [ContinuousQuery(spark, row["name"]) for row in rows]
