"""A driver that runs for a while at a fixed rate and tells how much it keeps: python -m tests.stream_soak OUT SECONDS PROVIDER.

OUT gets one JSON line per sample: the rows of all state stores by query, and the bytes in use after a collection.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import spark_csql

from tests.stream_faults import PROVIDERS

ROWS_PER_SECOND = 400
SAMPLE = 5  # seconds
SOURCE = "SELECT IF(value % 10 > 0, 'hot', concat('k', value % 200)) AS k, value AS v, timestamp AS ts FROM rate_data"
QUERIES = {
    "count_by_key": "SELECT k, COUNT(*) AS n FROM S [Rows 50, Frequency 20 Tuples Partitioned By k] GROUP BY k",
    "tuple_jump": "SELECT COUNT(*) AS n, MAX(v) AS top FROM S [Rows 1000, Frequency 100 Tuples]",
    "time_jump": "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM S [Range 10 Seconds, Frequency 2 Seconds] GROUP BY k",
    "sliding": "SELECT k, MAX(v) AS top FROM S [Range 5 Seconds] GROUP BY k",
    "nested": "SELECT MAX(n) AS n FROM (SELECT COUNT(*) AS n FROM S [Range 2 Seconds]) x [Tumble 5 Seconds]",
}


def started(session: Any, home: Path, name: str, sql: str) -> Any:
    writer = session.sql(sql).writeStream.format("noop").queryName(name)
    return writer.option("checkpointLocation", str(home / name)).trigger(processingTime="1 second").start()


def sample(session: Any, queries: list[Any]) -> dict[str, Any]:
    machine = session.sparkContext._jvm.java.lang
    machine.System.gc()
    runtime = machine.Runtime.getRuntime()
    rows = {q.name: sum(s["numRowsTotal"] for s in q.lastProgress["stateOperators"]) for q in queries}
    batches = {q.name: q.lastProgress["batchId"] for q in queries}
    return {"rows": rows, "batches": batches, "heap": runtime.totalMemory() - runtime.freeMemory()}


def main() -> None:
    out, seconds, provider = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    conf = {
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.sql.streaming.minBatchesToRetain": "2",
        "spark.log.level": "ERROR",
        **PROVIDERS[provider],
    }
    session = spark_csql.session(conf, master="local[2]", app_name="soak")
    rate = session.readStream.format("rate").option("rowsPerSecond", ROWS_PER_SECOND).load()
    rate.createOrReplaceTempView("rate_data")
    session.sql(f"CREATE OR REPLACE TEMPORARY STREAM S ORDER BY ts, v AS {SOURCE}")
    queries = [started(session, out.with_suffix(".checkpoint"), name, sql) for name, sql in QUERIES.items()]
    end = time.monotonic() + seconds
    with out.open("w", encoding="utf-8") as lines:
        while time.monotonic() < end:
            if queries[0].awaitTermination(SAMPLE) or not all(q.isActive for q in queries):
                raise next(q.exception() for q in queries if not q.isActive)
            if all(q.lastProgress for q in queries):
                lines.write(json.dumps(sample(session, queries)) + "\n")
                lines.flush()
    for query in queries:
        query.stop()
    session.stop()


if __name__ == "__main__":
    main()
