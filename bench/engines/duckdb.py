"""DuckDB."""

from __future__ import annotations

import time
from collections.abc import Sequence

import duckdb

from bench.answers import sums
from bench.data import HOME, START_MICROS, Data
from bench.runs import ResidentMemory, Run

T = f"(t - {START_MICROS}) / 1e9"


class DuckDBEngine:
    def __init__(self, cores: int) -> None:
        spill = HOME / "duckdb-spill"
        self.memory = ResidentMemory()
        self.duckdb = duckdb.connect(
            config={"threads": cores, "memory_limit": "8GB", "temp_directory": str(spill)}
        )
        self.duckdb.execute("SET enable_progress_bar = false")

    def run(self, question: str, columns: Sequence[str], data: Data) -> Run:
        """Ask, in SQL over ``cpu``; ``t`` counts microseconds."""
        rows = f"SELECT * FROM read_parquet({data.paths()})"
        self.duckdb.execute(f"CREATE OR REPLACE VIEW cpu AS {rows}")
        self.memory.reset()
        start = time.perf_counter()
        answer = self.duckdb.execute(f"SELECT {', '.join(sums(columns, T))} FROM ({question})").fetchone()
        seconds = time.perf_counter() - start
        assert answer
        return Run(data.count, seconds, answer, self.memory.peak_mb())
