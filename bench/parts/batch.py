"""Part «batch»: questions on tables, in the order of time and shuffled, against Spark, DuckDB and Polars."""

from __future__ import annotations

from typing import Any

from bench import works
from bench.compare import compare
from bench.data import Data
from bench.engines import engines
from bench.engines.tables import TABLES
from bench.work import OURS

AGGREGATES = ("AVG", "SUM", "MAX")
ORDERED = [
    works.scan(),
    works.tuple_jump(300, 1000),
    works.tuple_jump(300, 1000, by_site=True),
    works.tuple_jump(1000, 1000),
    works.overlapping_tuple_jump(40_000, 1000),
    works.time_jump(10),
    works.time_window_every_tuples(works.HOUR, 1000),
    works.tuple_window_every_minute(5000),
    *(works.tuple_slide(aggregate, window) for window in (1000, 100_000) for aggregate in AGGREGATES),
    works.time_slide(works.HOUR),
    works.tuple_slide("AVG", 1000, by_id=False),
]
SHUFFLED = [
    works.scan(),
    works.sort(),
    works.tuple_jump(300, 1000, shuffled=True),
    works.tuple_jump(300, 1000, by_site=True, shuffled=True),
    works.time_jump(10),
    works.tuple_slide("AVG", 1000),
    works.time_slide(works.HOUR),
]
ON_ONE_CORE = [
    works.tuple_jump(300, 1000),
    works.overlapping_tuple_jump(40_000, 1000),
    works.tuple_slide("AVG", 1000, by_id=False),
]


def run(rows: int) -> dict[str, Any]:
    ordered, shuffled = Data(rows), Data(rows, shuffled=True)
    with engines(TABLES) as two_cores:
        found = [compare(two_cores, work, ordered, "ordered") for work in ORDERED]
        found += [compare(two_cores, work, shuffled, "shuffled") for work in SHUFFLED]
    with engines(TABLES, cores=1) as one_core:
        found += [compare(one_core, work, ordered, "one core", [OURS]) for work in ON_ONE_CORE]
    return {"works": found}
