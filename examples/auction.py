"""An online auction: streams of auctions and bids, and questions about what is true at each instant.

    python examples/auction.py

The same questions are answered twice: over tables, and over streams that are read from files. What the
streams have answered by the end must be what the tables answered.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import spark_csql
from pyspark.sql import SparkSession

DAY = "2026-05-01"
# The last tuple of each stream comes a day later, so that the clock of the streams passes the day.
END = "2026-05-03 00:00:00"
STREAMS = {
    "Opened": ("item INT, seller STRING, price INT, ts TIMESTAMP", [
        (1, "ann", 50, "09:00:00"), (2, "bob", 150, "09:30:00"), (3, "ann", 80, "10:30:00"),
        (4, "cid", 20, "11:30:00"),
    ]),
    "Bid": ("item INT, bidder STRING, price INT, ts TIMESTAMP", [
        (1, "bob", 60, "09:10:00"), (2, "ann", 160, "09:40:00"), (1, "cid", 70, "10:05:00"),
        (2, "cid", 170, "11:10:00"), (3, "bob", 90, "11:20:00"), (4, "bob", 25, "11:40:00"),
    ]),
    "Closed": ("item INT, ts TIMESTAMP", [
        (1, "11:00:00"), (2, "12:00:00"), (3, "12:00:00"), (4, "13:00:00"),
    ]),
}  # fmt: skip

QUESTIONS = {
    "Which auctions opened within the hour get a bid, and how much more is it?": """
SELECT evaluation_time() AS at, B.item, B.bidder, B.price - O.price AS more
FROM Bid B [Now] JOIN Opened O [Range 1 Hour] ON B.item = O.item""",
    "Which auctions are open? They come here ...": """
SELECT ISTREAM(evaluation_time(), item) AS (at, item)
FROM Opened WHERE item NOT IN (SELECT item FROM Closed)""",
    "... and go here.": """
SELECT DSTREAM(evaluation_time(), item) AS (at, item)
FROM Opened WHERE item NOT IN (SELECT item FROM Closed)""",
    "How many bids did the last hour see, whenever that changes?": """
SELECT ISTREAM(evaluation_time(), COUNT(*)) AS (at, bids) FROM Bid [Range 1 Hour]""",
    "What did each auction close at?": """
SELECT RSTREAM(evaluation_time(), C.item, MAX(B.price)) AS (at, item, price)
FROM Closed C [Now] JOIN Bid B [Range Unbounded] ON C.item = B.item GROUP BY C.item""",
    "Who bids on two auctions within two hours?": """
SELECT ISTREAM(DISTINCT evaluation_time(), a.bidder) AS (at, bidder)
FROM Bid a [Range 2 Hours] JOIN Bid b [Range 2 Hours] ON a.bidder = b.bidder AND a.item < b.item""",
}


def rows_of(name: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [(*row[:-1], f"{DAY} {row[-1]}") for row in STREAMS[name][1]]
    return [*rows, (*rows[-1][:-1], END)]


def as_tables(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    for name, (columns, _) in STREAMS.items():
        texts = columns.replace("TIMESTAMP", "STRING")
        session.createDataFrame(rows_of(name), texts).createOrReplaceTempView(f"{name}_rows")
        shown = ", ".join(
            "CAST(ts AS TIMESTAMP) AS ts" if c.split()[0] == "ts" else c.split()[0]
            for c in columns.split(", ")
        )
        session.sql(f"CREATE TEMPORARY STREAM {name} ORDER BY ts AS SELECT {shown} FROM {name}_rows")
    return session


def as_streams(spark: SparkSession, folder: Path) -> SparkSession:
    """A file for each tuple, one of each stream in a micro-batch."""
    session = spark.newSession()
    for name, (columns, _) in STREAMS.items():
        (folder / name).mkdir()
        fields = [c.split()[0] for c in columns.split(", ")]
        for number, row in enumerate(rows_of(name)):
            line = json.dumps(dict(zip(fields, row, strict=True)))
            file = folder / name / f"{number:03}.json"
            file.write_text(line + "\n")
            os.utime(file, (number, number))  # files are read by their age
        session.sql(
            f"CREATE TEMPORARY STREAM {name} ({columns}) ORDER BY ts SLACK 0 SECONDS "
            f"SOURCE 'json:{folder / name}?maxFilesPerTrigger=1'"
        )
    return session


def streamed(session: SparkSession, question: str, name: str, folder: Path) -> list[tuple[object, ...]]:
    query = session.sql(question).writeStream.format("memory").queryName(name).outputMode("append")
    query.option("checkpointLocation", str(folder / f"checkpoint-{name}")).trigger(availableNow=True)
    query.start().awaitTermination()
    return sorted(tuple(row) for row in session.table(name).collect())


def main(spark: SparkSession) -> None:
    tables = as_tables(spark)
    with tempfile.TemporaryDirectory(prefix="auction-") as home:
        folder = Path(home)
        streams = as_streams(spark, folder)
        for number, (title, question) in enumerate(QUESTIONS.items()):
            print(f"\n{title}\n{question}")
            answer = tables.sql(question)
            answer.filter(f"at < DATE'{DAY}' + INTERVAL 1 DAY").show(truncate=False)
            expected = [tuple(row) for row in answer.collect() if str(row["at"]) < END]
            found = streamed(streams, question, f"answer_{number}", folder)
            if found != sorted(expected):
                sys.exit(f"The streams answered {found}, the tables {expected}.")
            print(f"The streams gave the same {len(found)} rows.")


if __name__ == "__main__":
    session = spark_csql.session(
        {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.log.level": "ERROR",
        },
        master="local[2]",
    )
    try:
        main(session)
    finally:
        session.stop()
