"""What tests of continuous queries share: their source, and looks at how they are."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEADLINE = 120


def until(what: str, condition: Callable[[], bool]) -> None:
    """Waits for a condition; a query that never gets there fails the test."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.1)


class Feed:
    """A folder of JSON files that a stream reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.numbers = itertools.count()
        folder.mkdir()

    def add(self, *lines: str) -> None:
        aside = self.folder / f".{next(self.numbers)}"
        aside.write_text("\n".join(lines) + "\n")
        aside.rename(self.folder / f"rows-{aside.name[1:]}")  # readers see whole files only

    def ids(self, *ids: int) -> None:
        self.add(*(f'{{"id": {i}}}' for i in ids))


def clean(spark: Any) -> None:
    for row in spark.sql("SHOW CONTINUOUS QUERIES").collect():
        spark.sql(f"DROP CONTINUOUS QUERY `{row.name.replace('`', '``')}`")
        spark.sql(f"DROP TABLE IF EXISTS {row.table}")
    for row in spark.sql("SHOW STREAMS").collect():
        spark.sql(f"DROP STREAM {row.streamName}")


def described(spark: Any, name: str) -> dict[str, str]:
    return {row.name: row.value for row in spark.sql(f"DESCRIBE CONTINUOUS QUERY {name}").collect()}


def status(spark: Any, name: str) -> str:
    return described(spark, name)["status"]


def ids(spark: Any, table: str) -> list[int]:
    return sorted(row.id for row in spark.sql(f"SELECT id FROM {table}").collect())
