"""A folder that grows and is read as a stream."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

COLUMNS = "id INT, ts TIMESTAMP, v INT"
NAMES = count()


def second(number: float) -> dt.datetime:
    return dt.datetime(2026, 1, 1) + dt.timedelta(seconds=number)


class Feed:
    """A folder that is read as a stream, one file a micro-batch."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        (folder / "in").mkdir(parents=True)
        self.files = 0

    def send(self, *rows: tuple[Any, ...]) -> None:
        lines = [f"{i},{ts.isoformat(sep=' ')},{v}" for i, ts, v in rows]
        path = self.folder / "in" / f"{self.files:05}.csv"
        path.with_suffix(".part").write_text("\n".join(lines) + "\n")
        age = 1_700_000_000 + self.files  # Spark reads files in the order of their ages
        os.utime(path.with_suffix(".part"), (age, age))
        path.with_suffix(".part").rename(path)
        self.files += 1

    def stream(self) -> Any:
        reader = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
        return reader.option("pathGlobFilter", "*.csv").csv(str(self.folder / "in"))

    def run(self, frame: Any, checkpoint: str = "checkpoint") -> list[tuple[Any, ...]]:
        """All that is there now, with what the query has answered in this run."""
        name = f"answers_{next(NAMES)}"
        writer = frame.writeStream.format("memory").queryName(name).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(self.folder / checkpoint)).start()
        query.awaitTermination()
        self.progress = query.recentProgress
        return sorted((tuple(row) for row in self.spark.table(name).collect()), key=str)

    def kept(self, frame: Any, checkpoint: str = "checkpoint") -> list[tuple[Any, ...]]:
        """The same into files, which outlive a restart."""
        out = str(self.folder / f"{checkpoint}-out")
        writer = frame.writeStream.format("parquet").option("path", out).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(self.folder / checkpoint)).start()
        query.awaitTermination()
        self.progress = query.recentProgress
        schema = frame.schema  # before the first answer there is no file to ask
        return sorted((tuple(row) for row in self.spark.read.schema(schema).parquet(out).collect()), key=str)

    def late(self) -> int:
        return sum(op["numRowsDroppedByWatermark"] for p in self.progress for op in p["stateOperators"])


def declare(feed: Feed, rest: str = "") -> Callable[[str], Any]:
    feed.spark.sql(f"CREATE OR REPLACE TEMPORARY STREAM s ORDER BY ts {rest} AS SELECT * FROM arrivals")
    return lambda query: feed.spark.sql(query)
