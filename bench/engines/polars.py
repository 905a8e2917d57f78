"""Polars, which takes as many threads as its process has cores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import polars as pl
from polars import Expr, LazyFrame

from bench.data import START_MICROS, Data
from bench.runs import ResidentMemory, Run


class PolarsEngine:
    def __init__(self, cores: int) -> None:
        assert pl.thread_pool_size() == cores
        self.memory = ResidentMemory()

    def run(self, question: Callable[[LazyFrame], LazyFrame], columns: Sequence[str], data: Data) -> Run:
        cpu = pl.scan_parquet(data.paths())
        self.memory.reset()
        start = time.perf_counter()
        ordered = cpu.sort("ts") if data.shuffled else cpu
        answer = question(ordered).select(_sums(columns)).collect(engine="streaming").row(0)
        seconds = time.perf_counter() - start
        return Run(data.count, seconds, answer, self.memory.peak_mb())


def _sums(columns: Sequence[str]) -> list[Expr]:
    """As in bench.answers."""
    v = pl.col("v")
    weights = {"k": pl.col("k") + 1, "t": (pl.col("t").dt.epoch("us") - START_MICROS) / 1e9}
    products = [v, v * v, *(v * weights[column] for column in columns if column != "v")]
    return [pl.len(), *(product.sum().alias(f"sum{i}") for i, product in enumerate(products))]
