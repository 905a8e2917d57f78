"""The papers' streams, made up with a fixed seed, and the papers' queries over them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 5, 1, 6, 0, tzinfo=timezone.utc)
SEED = 2006


@dataclass(frozen=True)
class Query:
    name: str
    asks: str
    text: str


def animals(spark: SparkSession, minutes: int = 60) -> None:
    """Pulse: a tuple per heart beat. BodyCondition: a reading every five seconds or so."""
    rng = random.Random(SEED)
    herd = {1: ("horse", 38), 2: ("horse", 42), 3: ("zebra", 50), 4: ("lion", 55), 5: ("hare", 140)}
    until = START + timedelta(minutes=minutes)
    pulse, readings = [], []
    for animal, (species, beats_per_minute) in herd.items():
        time = START
        while (time := time + timedelta(seconds=rng.gauss(60 / beats_per_minute, 0.1))) < until:
            pulse.append((animal, time))
        time = START
        while (time := time + timedelta(seconds=rng.uniform(4, 6))) < until:
            temperature = round(rng.gauss(38.0, 0.4), 1)
            readings.append((animal, species, temperature, rng.randint(90, 140), time))
    _view(spark, "Pulse", ["Id", "Timestamp"], pulse)
    _view(spark, "BodyCondition", ["Id", "Species", "BTemp", "BloodP", "Timestamp"], readings)


def grid(spark: SparkSession, hours: int = 6) -> None:
    """cpu: every machine reports its load twice a minute; the load comes and goes in waves, site by site."""
    rng = random.Random(SEED)
    sites = ["Heriot-Watt", "Edinburgh", "Bolzano"]
    rows = []
    for machine in range(60):
        site = machine % len(sites)
        delay = site / 3 + rng.uniform(0, 0.4)  # in waves
        for report in range(hours * 120):
            time = START + timedelta(seconds=30 * report + rng.uniform(0, 30))
            wave = math.sin(2 * math.pi * (report / 480 - delay))
            load = min(100.0, max(0.0, 60 + 35 * wave + rng.gauss(0, 3)))
            rows.append((machine, sites[site], round(load, 1), time))
    _view(spark, "cpu", ["id", "site", "load", "timestamp"], rows)


def _view(spark: SparkSession, name: str, columns: list[str], rows: list[tuple[object, ...]]) -> DataFrame:
    rows.sort(key=lambda row: row[-1])  # the time is the last column
    table = pa.table({column: [row[i] for row in rows] for i, column in enumerate(columns)})
    frame = spark.createDataFrame(table)
    frame.createOrReplaceTempView(name)
    return frame


ANIMAL_QUERIES = [
    Query(
        "Query 1(a)",
        "Every 100 tuples of the stream, all horses' records of the last minute.",
        """\
SELECT *
FROM BodyCondition AS B [Range 1 Minute, Frequency 100 Tuples]
WHERE B.Species = 'horse'""",
    ),
    Query(
        "Query 1(b)",
        "Every 100th tuple of the answer: of the horses' records, one in a hundred.",
        """\
SELECT * [Frequency 100 Tuples]
FROM BodyCondition AS B [Range 1 Minute]
WHERE B.Species = 'horse'""",
    ),
    Query(
        "Query 1(c)",
        "Every 100th record of each horse.",
        """\
SELECT * [Frequency 100 Tuples Partitioned By B.Id]
FROM BodyCondition B [Range 1 Minute]
WHERE B.Species = 'horse'""",
    ),
    Query(
        "Query 2",
        "The latest reading of each animal, at most one a minute, looking at every 100th.",
        """\
SELECT * [Frequency 1 Minute Partitioned By B.Id]
FROM BodyCondition B [Frequency 100 Tuples Partitioned By B.Id]""",
    ),
    Query(
        "Query 3",
        "For each animal, the pulse rate per minute, told at every 10th beat.",
        """\
SELECT P.Id, COUNT(*) [Frequency 10 Tuples Partitioned By P.Id] AS Rate
FROM Pulse P [Range 1 Minute, Frequency 1 Tuple]
GROUP BY P.Id""",
    ),
    Query(
        "Query 4",
        "For each animal, the average pulse rate per hour, from the answers of query 3, every minute.",
        """\
SELECT PR.Id, AVG(PR.Rate) [Frequency 1 Minute Partitioned By PR.Id] AS Average
FROM (SELECT P.Id, COUNT(*) [Frequency 10 Tuples Partitioned By P.Id] AS Rate
      FROM Pulse P [Range 1 Minute, Frequency 1 Tuple]
      GROUP BY P.Id)
     AS PulseRate PR [Range 1 Hour, Frequency 1 Tuple]
GROUP BY PR.Id""",
    ),
]

GRID_QUERIES = [
    Query(
        "Grid query 1",
        "Every 1000 measurements, for each site: how many machines had a load below 30 % in the last hour?",
        """\
SELECT evaluation_time() AS at, C.site, COUNT(DISTINCT C.id) AS idle
FROM cpu C [Range 1 Hour, Frequency 1000 Tuples]
WHERE C.load < 30
GROUP BY C.site""",
    ),
    Query(
        "Grid query 2",
        "Every hour, at Heriot-Watt: the average of these numbers during the last hour.",
        """\
SELECT evaluation_time() AS at, AVG(I.idle) AS average
FROM (SELECT C.site, COUNT(DISTINCT C.id) AS idle
      FROM cpu C [Range 1 Hour, Frequency 1000 Tuples]
      WHERE C.load < 30
      GROUP BY C.site)
     AS IdleMachines I [Range 1 Hour, Frequency 1 Hour]
WHERE I.site = 'Heriot-Watt'""",
    ),
]
