"""Part «cql»: joins of windows, beside Spark's own joins and with windows ten times as long."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench import cql_works
from bench.compare import compare
from bench.data import SPACING_MICROS, Data
from bench.engines import engines
from bench.engines.spark import SparkEngine
from bench.engines.spark_stream import SparkStreamEngine
from bench.measure import longest
from bench.work import OURS

MOST_ROWS = 1_000_000
FILES = 20
RUNS = 3
USUAL = 60  # seconds
MANY_KEYS = 1_000_000


def lengths(rows: int) -> tuple[int, int]:
    """Seconds of windows that hold a sixtieth and a sixth of the rows, so that they are full by half time."""
    short = max(1, rows * SPACING_MICROS // 60_000_000)
    return short, 10 * short


def run(rows: int) -> dict[str, Any]:
    replayed = min(rows // 4, MOST_ROWS)
    usual = Data(replayed, files=FILES)
    rare = Data(replayed, keys=MANY_KEYS, files=FILES)
    measure = partial(longest, most=RUNS)
    with engines({OURS: SparkStreamEngine, "Spark": SparkStreamEngine}) as streams:
        found = [compare(streams, cql_works.on_streams(USUAL), usual, "stream", measure=measure)]
        for seconds in lengths(replayed):
            work = cql_works.on_streams(seconds)
            found.append(compare(streams, work, rare, "stream, rare", measure=measure))
    with engines({OURS: SparkEngine, "Spark": SparkEngine}) as tables:
        found.append(compare(tables, cql_works.on_tables(USUAL), usual, "table", measure=measure))
        for seconds in lengths(replayed):
            found.append(compare(tables, cql_works.on_tables(seconds), rare, "table, rare", measure=measure))
    return {"works": found, "replayed": replayed}
