"""Statements with parameters, through any session: classic or Spark Connect."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession


def sql(spark: SparkSession, text: str, /, **params: Any) -> DataFrame:
    """``spark.sql(text)`` with values for its markers ``:name``, in windows and frequencies too.

    >>> spark_csql.sql(spark, "SELECT * FROM Pulse [Rows :n] WHERE Id = :id", n=10, id=3)
    """
    return spark.sql(text, args=params or None)


def explain(spark: SparkSession, text: str, /, **params: Any) -> str:
    """What EXPLAIN tells about a statement: its meaning, the defaults applied, and the plan."""
    return str(spark.sql(f"EXPLAIN {text}", args=params or None).collect()[0][0])
