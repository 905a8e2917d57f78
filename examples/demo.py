"""Run the papers' queries on made-up data, then one on a stream that grows. Started by ``make demo``."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import live
import spark_csql
from papers import ANIMAL_QUERIES, GRID_QUERIES, Query, animals, grid
from pyspark.sql import Row, SparkSession
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

SHOWN = 5
BUILD = Path(__file__).resolve().parent.parent / ".build"
LOG = BUILD / "demo.log"
console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)


def main() -> None:
    (BUILD / "tmp").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="demo-", dir=BUILD / "tmp") as folder:
        console.print("Starting Spark …", style="dim")
        with errors_into(LOG):
            spark = spark_csql.session(
                app_name="spark-csql demo",
                spark_sql_session_timeZone="UTC",
                spark_sql_shuffle_partitions=2,
                spark_sql_warehouse_dir=str(Path(folder) / "warehouse"),
            )
        try:
            recorded(spark)
            live.run(spark, console, Path(folder))
        finally:
            spark.stop()


def recorded(spark: SparkSession) -> None:
    """The papers' queries, on tables."""
    start = time.perf_counter()
    animals(spark)
    grid(spark)
    for table in ("Pulse", "BodyCondition", "cpu"):
        console.print(f"  {table}: {spark.table(table).count():,} tuples", style="dim")

    for query in ANIMAL_QUERIES:
        show(spark, query)
    loads, *others = GRID_QUERIES
    chart(show(spark, loads))
    for query in others:
        show(spark, query)
    console.print(f"\nAll queries answered in {time.perf_counter() - start:.0f} s.", style="bold green")


def show(spark: SparkSession, query: Query) -> list[Row]:
    """Question, query, and the first rows of the answer."""
    console.print()
    console.rule(f"[bold]{query.name}", align="left")
    console.print(query.asks, style="italic")
    console.print(Syntax(query.text, "sql", theme="ansi_dark", background_color="default", padding=(1, 2)))

    start = time.perf_counter()
    answer = spark.sql(query.text)
    rows = answer.collect()
    seconds = time.perf_counter() - start

    table = Table(header_style="bold cyan")
    for column in answer.columns:
        table.add_column(column)
    for row in rows[:SHOWN]:
        table.add_row(*map(cell, row))
    console.print(table)
    more = f" (the first {SHOWN} are shown)" if len(rows) > SHOWN else ""
    console.print(f"{len(rows):,} rows{more}, {seconds:.1f} s", style="dim")
    return rows


def cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if hasattr(value, "isoformat"):
        return f"{value:%H:%M:%S.%f}"[:-3]
    return str(value)


def chart(rows: list[Row]) -> None:
    """One line per site: the idle machines at each evaluation, as bars."""
    counts: dict[str, dict[object, int]] = defaultdict(dict)
    for row in rows:
        counts[row["site"]][row["at"]] = row["idle"]
    instants = sorted({row["at"] for row in rows})
    highest = max((row["idle"] for row in rows), default=1)
    console.print("\nIdle machines by site, one bar per evaluation:", style="bold")
    for site, by_instant in sorted(counts.items()):
        bars = "".join(" ▁▂▃▄▅▆▇█"[round(8 * by_instant.get(at, 0) / highest)] for at in instants)
        now = f" now {by_instant.get(instants[-1], 0)}"
        console.print(Text.assemble((f"{site:>12} ", "bold"), (bars, "green"), now))


@contextlib.contextmanager
def errors_into(file: Path) -> Iterator[None]:
    """Send what Spark's Java process says on its error output to a file: it starts with harmless warnings."""
    file.parent.mkdir(parents=True, exist_ok=True)
    sys.stderr.flush()
    kept = os.dup(2)
    with file.open("wb") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


if __name__ == "__main__":
    main()
