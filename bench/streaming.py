"""Compare streaming windows with Spark's own streaming window(). Started by ``make bench``.

Both sides read the same files in the same micro-batches and write to no sink. Ratios are those of the times
of all micro-batches after the first two, which load classes and compile: above 1 we are faster.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import spark_csql
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PACKAGE = "org.apache.spark.sql.execution.streaming.state"
PROVIDERS = {"HDFS-backed": "HDFSBackedStateStoreProvider", "RocksDB": "RocksDBStateStoreProvider"}
FILES = 12
WARM = 2  # micro-batches that do not count


class Bench:
    def __init__(self, spark: SparkSession, home: Path, rows: int, keys: int) -> None:
        self.spark, self.home, self.rows, self.keys = spark, home, rows, keys
        self.data = home / f"rows-{keys}"
        made = spark.range(0, rows, 1, FILES).selectExpr(
            f"id % {keys} AS k", "hash(id) % 1000 AS v", "timestamp_micros(id * 7001 + 5) AS ts"
        )
        made.write.parquet(str(self.data))
        # Spark reads files in the order of their times; two tasks wrote them at once
        for second, file in enumerate(sorted(self.data.glob("part-*"))):
            os.utime(file, (second, second))

    def stream(self) -> DataFrame:
        reader = self.spark.readStream.schema("k BIGINT, v INT, ts TIMESTAMP")
        return reader.option("maxFilesPerTrigger", 1).parquet(str(self.data))

    def ours(self, query: str) -> DataFrame:
        self.stream().createOrReplaceTempView("arrivals")
        self.spark.sql("CREATE OR REPLACE TEMPORARY STREAM s ORDER BY ts AS SELECT * FROM arrivals")
        return self.spark.sql(query)

    def theirs(self, length: str, slide: str) -> DataFrame:
        rows = self.stream().withWatermark("ts", "0 seconds")
        return rows.groupBy(f.window("ts", length, slide), "k").agg(f.sum("v").alias("x"))

    def time(self, frame: DataFrame) -> tuple[float, dict[str, Any]]:
        """Milliseconds a micro-batch on average, and what the first stateful operator says at the end."""
        checkpoint = tempfile.mkdtemp(dir=self.home)
        writer = frame.writeStream.format("noop").trigger(availableNow=True)
        query = writer.option("checkpointLocation", checkpoint).start()
        query.awaitTermination()
        batches = [p for p in query.recentProgress if p["numInputRows"] > 0][WARM:]
        shutil.rmtree(checkpoint)
        spent = sum(p["durationMs"]["triggerExecution"] for p in batches) / len(batches)
        return spent, batches[-1]["stateOperators"][-1]


def jumping(bench: Bench, length: str, slide: str) -> float:
    name = f"[Range {length}, Frequency {slide}]"
    mine, said = bench.time(bench.ours(f"SELECT k, SUM(v) AS x FROM s {name} GROUP BY k"))
    plain, _ = bench.time(bench.theirs(length, slide))
    tell(bench, f"{name}", mine, plain / mine, said)
    return plain


def tell(bench: Bench, name: str, spent: float, ratio: float | None, said: dict[str, Any]) -> None:
    shown = "" if ratio is None else f"{ratio:.2f}"
    state = said["memoryUsedBytes"] / max(1, bench.keys)
    parts = said["customMetrics"]
    print(
        f"| {bench.keys:,} | {name} | {spent:.0f} | {shown} | {state:,.0f} |"
        f" {parts.get('csqlStateMicros', 0) / 1000:.0f} | {parts.get('csqlKernelMicros', 0) / 1000:.0f} |"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=600_000)
    arguments = options.parse_args()
    spark = spark_csql.session(
        spark_csql_notices="false", spark_driver_memory="3g", spark_sql_shuffle_partitions="2"
    )
    home = Path(tempfile.mkdtemp(prefix="csql-bench-"))
    try:
        made = {keys: Bench(spark, home, arguments.rows, keys) for keys in (1, 100, 100_000)}
        print(f"{arguments.rows:,} tuples in {FILES} micro-batches\n")
        for name, provider in PROVIDERS.items():
            spark.conf.set(PROVIDER, f"{PACKAGE}.{provider}")
            print(f"{name}\n")
            print(
                "| keys | window | ms a batch | window() / ours | state bytes a key | state ms | kernel ms |"
            )
            print("|---|---|---|---|---|---|---|")
            for bench in made.values():
                jumping(bench, "1 minute", "1 minute")
                plain = jumping(bench, "10 minutes", "1 minute")
                for count in (100, 10_000):
                    query = f"SELECT k, SUM(v) AS x FROM s [Partition By k Rows {count}] GROUP BY k"
                    spent, said = bench.time(bench.ours(query))
                    tell(bench, f"[Partition By k Rows {count}]", spent, plain / spent, said)
            print()
    finally:
        spark.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
