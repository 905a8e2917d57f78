"""Compare continuous queries with plain Spark SQL that gives the same answer. Started by ``make bench``.

Each pair must agree on the number of answer rows and on their sum. The ratio is Spark's time divided by ours:
above 1 we are faster.
"""

from __future__ import annotations

import argparse
import time

import spark_csql
from pyspark.sql import SparkSession

# name: (ours, plain Spark); both answer with a column x
PAIRS = {
    "sliding, per key: the last 10 minutes at each tuple": (
        "SELECT k, SUM(v) AS x FROM s [Range 10 Minutes] GROUP BY k",
        "SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts "
        "RANGE BETWEEN INTERVAL 10 MINUTES PRECEDING AND CURRENT ROW) AS x FROM s",
    ),
    "jumping: the last 10 minutes, every minute, by key": (
        "SELECT k, SUM(v) AS x FROM s [Range 10 Minutes, Frequency 1 Minute] GROUP BY k",
        "SELECT SUM(v) AS x FROM s GROUP BY k, window(ts, '10 minutes', '1 minute')",
    ),
    "jumping: the last 1000 tuples, every 1000 tuples": (
        "SELECT SUM(v) AS x FROM s [Rows 1000, Frequency 1000 Tuples]",
        "SELECT SUM(v) AS x FROM (SELECT v, ROW_NUMBER() OVER (ORDER BY ts) - 1 AS n FROM s) "
        "GROUP BY n DIV 1000 HAVING COUNT(*) = 1000",
    ),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=500_000)
    options.add_argument("--runs", type=int, default=3, help="the best of so many runs counts")
    arguments = options.parse_args()

    spark = spark_csql.session(spark_csql_notices="false", spark_driver_memory="2g")
    # Seven milliseconds apart, and never exactly at a window's bound, which is open here and closed there.
    spark.range(arguments.rows).selectExpr(
        "id % 100 AS k", "hash(id) % 1000 AS v", "timestamp_micros(id * 7001 + 5) AS ts"
    ).createOrReplaceTempView("made")
    spark.sql("CACHE TABLE s AS SELECT * FROM made")

    print(f"{arguments.rows:,} tuples, best of {arguments.runs} runs\n")
    print(f"{'ours':>8} {'Spark':>8} {'ratio':>7}")
    for name, (ours, plain) in PAIRS.items():
        answers, seconds = zip(
            *(measure(spark, query, arguments.runs) for query in (ours, plain)), strict=True
        )
        if answers[0] != answers[1]:
            raise SystemExit(f"{name}: the answers differ, {answers[0]} and {answers[1]}")
        print(f"{seconds[0]:7.2f}s {seconds[1]:7.2f}s {seconds[1] / seconds[0]:7.2f}  {name}")


def measure(spark: SparkSession, query: str, runs: int) -> tuple[tuple[int, int], float]:
    """The answer's size and sum, and the shortest time it took."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        size, total = spark.sql(f"SELECT COUNT(*), SUM(x) FROM ({query})").collect()[0]
        best = min(best, time.perf_counter() - start)
    return (size, total), best


if __name__ == "__main__":
    main()
