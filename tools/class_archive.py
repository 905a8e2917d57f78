"""Store the classes that each start of Spark loads: drivers of tests then start in about half of the time.

    python tools/class_archive.py FILE

Java that is told -XX:SharedArchiveFile=FILE maps them into memory, or goes without them if they do not fit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import SparkContext
from pyspark.sql import SparkSession

LONGEST = 300  # seconds, for the file to be written


def main() -> None:
    archive = Path(sys.argv[1]).resolve()
    unfinished = archive.with_suffix(".unfinished")
    options = f'-XX:+UseSerialGC "-XX:ArchiveClassesAtExit={unfinished}" -Xlog:disable'
    os.environ["SPARK_SUBMIT_OPTS"] = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {options}"
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    with TemporaryDirectory() as folder:
        work(builder.config("spark.sql.shuffle.partitions", "2").getOrCreate(), Path(folder))
    java = SparkContext._gateway.proc
    java.stdin.close()  # then it ends, and writes the file
    java.wait(LONGEST)
    unfinished.rename(archive)


def work(spark: SparkSession, folder: Path) -> None:
    """What most tests do: a query with a shuffle, files, and a stream with state."""
    spark.sparkContext.setLogLevel("OFF")
    table = str(folder / "table")
    spark.range(100).selectExpr("id", "id % 3 AS k", "timestamp_seconds(id) AS ts").write.parquet(table)
    spark.read.parquet(table).createOrReplaceTempView("t")
    spark.sql("SELECT k, count(*) FROM t WHERE id > 3 GROUP BY k ORDER BY k").collect()
    rows = spark.readStream.schema(spark.table("t").schema).parquet(table).withWatermark("ts", "1 second")
    counted = rows.groupBy("k", "ts").count().writeStream.option("checkpointLocation", str(folder / "state"))
    counted.trigger(availableNow=True).start(str(folder / "out"), format="parquet").awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
