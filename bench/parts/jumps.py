"""Part «jumps»: windows that jump, on tables in order and shuffled, against Spark, DuckDB and Polars."""

from __future__ import annotations

from typing import Any

from bench import works
from bench.parts.tables import on_tables

ORDERED = [
    works.scan(),
    works.tuple_jump(300, 1000),
    works.tuple_jump(300, 1000, by_site=True),
    works.tuple_jump(1000, 1000),
    works.overlapping_tuple_jump(40_000, 1000),
    works.time_jump(10),
    works.time_window_every_tuples(works.HOUR, 1000),
    works.tuple_window_every_minute(5000),
]
SHUFFLED = [
    works.scan(),
    works.sort(),
    works.tuple_jump(300, 1000, shuffled=True),
    works.tuple_jump(300, 1000, by_site=True, shuffled=True),
    works.time_jump(10),
]
ON_ONE_CORE = [works.tuple_jump(300, 1000), works.overlapping_tuple_jump(40_000, 1000)]


def run(rows: int) -> dict[str, Any]:
    return {"works": on_tables(rows, ORDERED, SHUFFLED, ON_ONE_CORE)}
