"""What a running query keeps: as much as its window holds, however long the stream is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROWS = 48_000
BATCHES = 6


@pytest.fixture(scope="module")
def arrivals(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One tuple a second of 40 keys; later ones of keys that were never seen before."""
    session, folder = spark.newSession(), str(tmp_path_factory.mktemp("state") / "rows")
    rows = session.range(0, ROWS, 1, BATCHES).selectExpr(
        "CAST(id % 40 AS INT) AS k",
        "id DIV 100 AS visit",
        "CAST(id AS INT) AS v",
        "timestamp_seconds(id + 1) AS ts",
    )
    rows.write.parquet(folder)
    reader = session.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1)
    reader.parquet(folder).createOrReplaceTempView("arrivals")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT * FROM arrivals")
    return session


def state_rows(session: Any, folder: Path, query: str, reads: int = 1) -> int:
    """The rows of the state at the end, when no tuple waits but the last one."""
    writer = session.sql(query).writeStream.format("noop").trigger(availableNow=True)
    running = writer.option("checkpointLocation", str(folder)).start()
    running.awaitTermination()
    assert sum(p["numInputRows"] for p in running.recentProgress) == reads * ROWS
    return sum(op["numRowsTotal"] for op in running.lastProgress["stateOperators"])


def test_slices_of_a_long_window_are_a_handful_of_values(arrivals: Any, tmp_path: Path) -> None:
    query = "SELECT sum(v) FROM s [Range 40000 Tuples, Frequency 10000 Tuples]"
    assert state_rows(arrivals, tmp_path, query) <= 3  # the key, the partition, the tuple that waits


def test_a_window_by_tuples_keeps_its_last_ones(arrivals: Any, tmp_path: Path) -> None:
    query = "SELECT k, sum(v) FROM s [Partition By k Rows 100] GROUP BY k"
    assert state_rows(arrivals, tmp_path, query) < 40 * 16  # 1,200 tuples of each key have come


@pytest.mark.parametrize(("unit", "end"), [("ROWS", "3"), ("RANGE", "INTERVAL 5 MINUTES")])
def test_a_frame_without_a_beginning_is_one_total(arrivals: Any, tmp_path: Path, unit: str, end: str) -> None:
    frame = f"{unit} BETWEEN UNBOUNDED PRECEDING AND {end} PRECEDING"
    query = f"SELECT k, sum(v) OVER (PARTITION BY k ORDER BY ts {frame}) AS total FROM s"
    assert state_rows(arrivals, tmp_path, query) < 40 * 4


def test_keys_whose_windows_are_empty_leave(arrivals: Any, tmp_path: Path) -> None:
    """A visit has a hundred tuples and never comes back."""
    for number, window in enumerate(["Range 5 Minutes", "Range 5 Minutes, Frequency 1 Minute"]):
        query = f"SELECT visit, count(*) FROM s [{window}] GROUP BY visit"
        assert state_rows(arrivals, tmp_path / str(number), query) < 120, window  # 480 visits come and go


def test_groups_leave_a_window_of_the_whole_stream(arrivals: Any, tmp_path: Path) -> None:
    query = "SELECT visit, count(*) FROM s [Rows 500, Frequency 50 Tuples] GROUP BY visit"
    assert state_rows(arrivals, tmp_path, query) < 60


def test_distinct_keeps_one_tuple_of_each_value(arrivals: Any, tmp_path: Path) -> None:
    query = "SELECT ISTREAM(DISTINCT k) FROM s [Range Unbounded]"
    assert state_rows(arrivals, tmp_path, query) < 100


@pytest.mark.parametrize("condition", ["k + 20 NOT IN (SELECT k", "EXISTS (SELECT 1"])
def test_subqueries_keep_one_tuple_of_each_value(arrivals: Any, tmp_path: Path, condition: str) -> None:
    where = "" if "NOT IN" in condition else " WHERE past.k = now.k + 20"
    query = f"SELECT ISTREAM(k) FROM s [Now] now WHERE {condition} FROM s [Range Unbounded] past{where})"
    assert state_rows(arrivals, tmp_path, query, reads=2) < 100
