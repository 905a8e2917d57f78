"""The questions on streams: ours, and what Spark offers instead."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f


def rows(_: SparkSession, arrivals: DataFrame) -> DataFrame:
    return arrivals.select(f.col("ts").alias("t"), f.col("id").alias("k"), f.col("load").alias("v"))


def ours(spark: SparkSession, arrivals: DataFrame, query: str) -> DataFrame:
    arrivals.createOrReplaceTempView("arrivals")
    spark.sql("CREATE OR REPLACE TEMPORARY STREAM cpu ORDER BY ts AS SELECT * FROM arrivals")
    return spark.sql(query)


def time_jump(_: SparkSession, arrivals: DataFrame, minutes: int, by: str) -> DataFrame:
    """Spark's own window()."""
    in_time = arrivals.withWatermark("ts", "0 seconds")
    windows = in_time.groupBy(f.window("ts", f"{minutes} minutes", "1 minute"), f.col(by).alias("k"))
    return windows.agg(f.avg("load").alias("v")).select(f.col("window.end").alias("t"), "k", "v")


WINDOWS_JOIN = (
    "SELECT evaluation_time() AS t, a.id AS k, a.load + 2 * b.load AS v "
    "FROM {} AS a JOIN {} AS b ON a.id = b.id"
)


def windows_join(spark: SparkSession, arrivals: DataFrame, seconds: int) -> DataFrame:
    items = []
    for name, half in zip(("evens", "odds"), halves(arrivals), strict=True):
        half.createOrReplaceTempView(f"arriving_{name}")
        spark.sql(f"CREATE OR REPLACE TEMPORARY STREAM {name} ORDER BY ts AS SELECT * FROM arriving_{name}")
        items.append(f"{name} [Range {seconds} Seconds]")
    return spark.sql(WINDOWS_JOIN.format(*items))


def join(_: SparkSession, arrivals: DataFrame, seconds: int) -> DataFrame:
    """Spark's own join of streams."""
    one, other = (
        half.withWatermark("ts", "0 seconds").alias(name)
        for name, half in zip("ab", halves(arrivals), strict=True)
    )
    length = f"INTERVAL {seconds} SECONDS"
    near = f.expr(f"a.id = b.id AND a.ts > b.ts - {length} AND b.ts > a.ts - {length}")
    return one.join(other, near).selectExpr(
        "GREATEST(a.ts, b.ts) AS t", "a.id AS k", "a.load + 2 * b.load AS v"
    )


def halves(arrivals: DataFrame) -> tuple[DataFrame, DataFrame]:
    return arrivals.where("seq % 2 = 0"), arrivals.where("seq % 2 = 1")


def tuple_slide(
    spark: SparkSession, arrivals: DataFrame, way: str, aggregate: str, window: int, by: str
) -> DataFrame:
    """By hand, in Scala. The way is a key of BY_HAND or AS_THEY_ARRIVE without the engine."""
    return _by_hand(spark, "slide", way, _readings(arrivals, by), aggregate, window)


def tuple_jump(spark: SparkSession, arrivals: DataFrame, way: str, window: int, every: int) -> DataFrame:
    return _by_hand(spark, "jump", way, _readings(arrivals, "0"), window, every)


def _readings(arrivals: DataFrame, by: str) -> Any:
    in_time = arrivals.withWatermark("ts", "0 seconds")
    return in_time.selectExpr("ts", f"{by} AS key", "unix_micros(ts) AS time", "load")._jdf


def _by_hand(spark: SparkSession, window: str, *what: Any) -> DataFrame:
    jvm: Any = spark._jvm
    answers = getattr(jvm.org.sparkcsql.bench.CountWindows, window)(*what).toDF()
    return DataFrame(answers, spark).selectExpr("timestamp_micros(time) AS t", "key AS k", "value AS v")
