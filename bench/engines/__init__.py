"""The engines that answer on tables, by the label of a question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bench.children import CORES, Child, only
from bench.engines.duckdb import DuckDBEngine
from bench.engines.polars import PolarsEngine
from bench.engines.spark import SparkEngine
from bench.work import OURS

ENGINES = {OURS: SparkEngine, "Spark": SparkEngine, "DuckDB": DuckDBEngine, "Polars": PolarsEngine}


class Engines:
    def __init__(self, cores: int) -> None:
        self.children = {engine: Child(engine, cores) for engine in set(ENGINES.values())}

    def of(self, label: str) -> Child:
        return self.children[ENGINES[label.split(",")[0]]]


@contextmanager
def engines(cores: int = CORES) -> Iterator[Engines]:
    """Processes start when they are first used, with the cores of this one, and end here."""
    started = Engines(cores)
    with only(cores):
        try:
            yield started
        finally:
            for child in started.children.values():
                child.stop()
