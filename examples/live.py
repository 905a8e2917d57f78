"""The live part of the demo: a stream that grows while a continuous query answers it."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from pyspark.sql import Row, SparkSession
from rich.console import Console
from rich.live import Live
from rich.syntax import Syntax
from rich.table import Table

START = datetime(2026, 5, 1, 6, 0, tzinfo=timezone.utc)
SLACK = timedelta(seconds=5)
DISORDER = 3.0  # seconds by which a beat may be overtaken: less than the slack, so none is late
FILE_SPAN = timedelta(seconds=20)  # of the animals' time
FILES_A_STEP = 5
REFRESH = 0.5  # seconds
PATIENCE = 120.0
BEATS_PER_MINUTE = {1: 38, 2: 42, 3: 50}

# a few files a micro-batch, so that there is something to watch
STREAM = """CREATE STREAM Beat (Id INT, Time TIMESTAMP) ORDER BY Time, Id SLACK 5 SECONDS
SOURCE 'json:{folder}?maxFilesPerTrigger=5'"""
# At every 20 seconds: how often did each animal's heart beat in the last minute?
QUESTION = """SELECT evaluation_time() AS At, Id, COUNT(*) AS Rate
FROM {stream} [Range 1 Minute, Frequency 20 Seconds]
GROUP BY Id"""
QUERY = "CREATE CONTINUOUS QUERY Rates AS\n" + QUESTION.format(stream="Beat")

Show = Callable[[list[Row], str], None]


@dataclass(frozen=True)
class Beat:
    animal: int
    time: datetime

    def line(self) -> str:
        return json.dumps({"Id": self.animal, "Time": self.time.isoformat(timespec="milliseconds")})


class Herd:
    """Writes heart beats into a folder, a file for each 20 seconds, slightly out of order."""

    def __init__(self, folder: Path, minutes: int) -> None:
        self.folder = folder
        folder.mkdir()
        rng = random.Random(1955)
        beats: list[tuple[datetime, Beat]] = []
        for animal, rate in BEATS_PER_MINUTE.items():
            at = START
            while (at := at + timedelta(milliseconds=rng.randint(45000, 75000) // rate)) < START + timedelta(
                minutes=minutes
            ):
                beats.append((at + timedelta(seconds=rng.uniform(0, DISORDER)), Beat(animal, at)))
        beats.sort(key=lambda beat: beat[0])
        self.files: list[list[Beat]] = [[] for _ in range(int((beats[-1][0] - START) / FILE_SPAN) + 1)]
        for arrival, beat in beats:
            self.files[int((arrival - START) / FILE_SPAN)].append(beat)
        self.written: list[Beat] = []
        self.number = 0

    def write(self, count: int) -> None:
        """The next files; readers see whole files only."""
        for _ in range(count):
            beats = self.files[self.number]
            aside = self.folder / f".{self.number:03}.part"
            aside.write_text("".join(beat.line() + "\n" for beat in beats))
            aside.rename(self.folder / f"{self.number:03}.json")
            self.written += beats
            self.number += 1

    def watermark(self) -> datetime:
        """Where the query's watermark will stand when it has read all that is written."""
        return max(beat.time for beat in self.written) - SLACK


def run(spark: SparkSession, console: Console, folder: Path) -> None:
    """A stream, a query on it, STOP, RESUME, and the proof that the answers are those of a table."""
    console.print()
    console.rule("[bold]Live: a continuous query", align="left")
    console.print("A herd's heart beats arrive as files. How fast did each heart beat in the last minute?")
    herd = Herd(folder / "beats", minutes=6)
    try:
        for statement, text in (
            (STREAM.format(folder=sql_text(herd.folder)), STREAM.format(folder="…")),
            (QUERY, QUERY),
        ):
            console.print(
                Syntax(text, "sql", theme="ansi_dark", background_color="default", padding=(1, 2, 0, 2))
            )
            spark.sql(statement)
        console.print()
        half = len(herd.files) // 2
        with shown(console) as show:
            for start in range(0, half, FILES_A_STEP):
                herd.write(min(FILES_A_STEP, half - start))
                follow(spark, herd, show)

        spark.sql("STOP CONTINUOUS QUERY Rates")
        answers, files = spark.table("Rates").count(), len(herd.files) - half
        herd.write(files)
        console.print(f"  STOP: {status(spark)}, {answers} answers; {files} files come meanwhile.")
        spark.sql("RESUME CONTINUOUS QUERY Rates")
        console.print(f"  RESUME: {status(spark)}")
        with shown(console) as show:
            follow(spark, herd, show)
        prove(spark, console, herd)
    finally:
        spark.sql("DROP CONTINUOUS QUERY IF EXISTS Rates")
        spark.sql("DROP TABLE IF EXISTS Rates")
        spark.sql("DROP STREAM IF EXISTS Beat")


@contextlib.contextmanager
def shown(console: Console) -> Iterator[Show]:
    """A table that refreshes in its place; where there is no terminal, a line each time."""
    if console.is_terminal:
        with Live(console=console, auto_refresh=False) as live:
            yield lambda rows, watermark: live.update(latest(rows, watermark), refresh=True)
    else:
        yield lambda rows, watermark: console.print(line(rows, watermark))


def follow(spark: SparkSession, herd: Herd, show: Show) -> None:
    """Shows the answers as they come, until the query has answered all that is written."""
    end = time.monotonic() + PATIENCE
    known = -1
    while True:
        state = described(
            spark
        )  # asked first: the answers below are then those before this watermark, or more
        rows = spark.sql("SELECT At, Id, Rate FROM Rates ORDER BY At, Id").collect()
        if len(rows) != known:
            known = len(rows)
            show(rows, state["watermark"])
        if state["watermark"] and instant(state["watermark"]) >= herd.watermark():
            return
        if state["status"] != "RUNNING":
            raise SystemExit(f"The query is {state['status']}: {state['last error']}")
        if time.monotonic() > end:
            raise SystemExit(f"The query has not answered in {PATIENCE:.0f} seconds.")
        time.sleep(REFRESH)


def prove(spark: SparkSession, console: Console, herd: Herd) -> None:
    """The same question about the same files, read as a table."""
    rows = spark.read.schema("Id INT, Time TIMESTAMP").json(str(herd.folder))
    rows.createOrReplaceTempView("beats")
    spark.sql("CREATE OR REPLACE TEMPORARY STREAM Recorded ORDER BY Time, Id AS SELECT * FROM beats")
    watermark = herd.watermark().isoformat(timespec="milliseconds")
    batch = spark.sql(
        f"SELECT * FROM ({QUESTION.format(stream='Recorded')}) WHERE At < TIMESTAMP '{watermark}'"
    ).collect()
    live = spark.table("Rates").collect()
    spark.sql("DROP STREAM Recorded")
    spark.catalog.dropTempView("beats")
    if not batch or sorted(batch) != sorted(live):
        raise SystemExit(f"The answers differ: {len(live)} live, {len(batch)} in batch.")
    console.print(
        f"  Proof: the {len(live)} live answers equal the batch answer over the same "
        f"{len(herd.written):,} beats, up to the watermark.",
        style="bold green",
        soft_wrap=True,
    )


def latest(rows: list[Row], watermark: str) -> Table:
    title = f"Rates: {len(rows)} answers, watermark {clock(watermark)}"
    table = Table(title=title, title_justify="left", min_width=len(title), header_style="bold cyan")
    for column in ("At", "Id", "Rate"):
        table.add_column(column)
    for row in rows[-6:]:
        table.add_row(f"{row['At']:%H:%M:%S}", str(row["Id"]), str(row["Rate"]))
    return table


def line(rows: list[Row], watermark: str) -> str:
    last = [row for row in rows if row["At"] == rows[-1]["At"]] if rows else []
    rates = ", ".join(f"{row['Id']}: {row['Rate']}" for row in last)
    return f"  {len(rows):>3} answers, watermark {clock(watermark)}" + (f", rates {rates}" if rates else "")


def described(spark: SparkSession) -> dict[str, str]:
    return {row["name"]: row["value"] for row in spark.sql("DESCRIBE CONTINUOUS QUERY Rates").collect()}


def status(spark: SparkSession) -> str:
    return described(spark)["status"]


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def clock(watermark: str) -> str:
    """A watermark at the start of 1970 is Spark's word for none."""
    if not watermark or instant(watermark).year == 1970:
        return "none yet"
    return f"{instant(watermark):%H:%M:%S}"


def sql_text(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
