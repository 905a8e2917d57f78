"""Part «slides»: windows that slide, on tables in order and shuffled, against Spark, DuckDB and Polars."""

from __future__ import annotations

from typing import Any

from bench import works
from bench.parts.tables import on_tables

AGGREGATES = ("AVG", "SUM", "MAX")
ORDERED = [
    *(works.tuple_slide(aggregate, window) for window in (1000, 100_000) for aggregate in AGGREGATES),
    works.time_slide(works.HOUR),
    works.tuple_slide("AVG", 1000, by_id=False),
]
SHUFFLED = [works.tuple_slide("AVG", 1000), works.time_slide(works.HOUR)]
ON_ONE_CORE = [works.tuple_slide("AVG", 1000, by_id=False)]


def run(rows: int) -> dict[str, Any]:
    return {"works": on_tables(rows, ORDERED, SHUFFLED, ON_ONE_CORE)}
