"""The engines that answer on tables."""

from __future__ import annotations

from bench.engines.duckdb import DuckDBEngine
from bench.engines.polars import PolarsEngine
from bench.engines.spark import SparkEngine
from bench.work import OURS

TABLES = {OURS: SparkEngine, "Spark": SparkEngine, "DuckDB": DuckDBEngine, "Polars": PolarsEngine}
