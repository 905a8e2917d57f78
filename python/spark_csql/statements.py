"""Statements with parameters, through any session: classic or Spark Connect."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_csql.errors import CsqlError

_NO_PLAN = "Error occurred during query planning:"  # EXPLAIN answers with this instead of failing


def sql(spark: SparkSession, text: str, /, **params: Any) -> DataFrame:
    """``spark.sql(text)`` with values for its markers ``:name``, in windows and frequencies too.

    >>> spark_csql.sql(spark, "SELECT * FROM Pulse [Rows :n] WHERE Id = :id", n=10, id=3)
    """
    return spark.sql(text, args=params or None)


def explain(spark: SparkSession, text: str, /, **params: Any) -> str:
    """What EXPLAIN tells about a statement: its meaning, the defaults applied, and the plan."""
    told = "\n".join(row[0] for row in spark.sql(f"EXPLAIN {text}", args=params or None).collect())
    if told.startswith(_NO_PLAN):
        raise CsqlError(told.removeprefix(_NO_PLAN).strip())
    return told
