"""Tuples are sorted by one number that leaves some of them tied: times that are near, or equal. Spark's OVER tells their order."""

from __future__ import annotations

from typing import Any

import pytest

ROWS = 12_007  # prime, so that the factor below scatters the times
NOW = 1_767_225_600_000_000  # the times of our days are looked at coarsely
STREAMS = {  # most tuples have the key 0, so that more than a few thousand are tied
    "near": "timestamp_micros({now} + (id * 7919) % {rows}) AS ts",
    "near_in_pairs": "timestamp_micros({now} + (id * 7919) % {rows} DIV 2) AS ts",
    "equal": "TIMESTAMP '2026-01-01 00:00:00' AS ts",
    "numbers": "(id * 7919) % {rows} AS ts",
}


@pytest.fixture(scope="module")
def session(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    own = spark.newSession()
    for name, time in STREAMS.items():
        folder = str(tmp_path_factory.mktemp("ties") / name)
        rows = f"SELECT id, IF(id % 11 = 0, id % 7, 0) AS k, {time.format(rows=ROWS, now=NOW)} FROM range(0, {ROWS}, 1, 2)"
        own.sql(rows).write.parquet(folder)
        own.read.parquet(folder).createOrReplaceTempView(f"{name}_rows")
        own.sql(f"CREATE TEMPORARY STREAM {name} ORDER BY ts, id AS SELECT * FROM {name}_rows")
    return own


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("window", ["Partition By k Rows 3", "Partition By k Rows 500"])
def test_ties_are_put_in_order(session: Any, stream: str, window: str) -> None:
    ours = session.sql(
        f"SELECT k, LAST(id) AS id, COUNT(*) AS n, SUM(id) AS total FROM {stream} [{window}] GROUP BY k"
    )
    before = int(window.rsplit(" ", 1)[1]) - 1
    over = f"OVER (PARTITION BY k ORDER BY ts, id ROWS {before} PRECEDING)"
    plain = session.sql(f"SELECT k, id, COUNT(*) {over} AS n, SUM(id) {over} AS total FROM {stream}_rows")
    assert ours.count() == ROWS
    assert ours.exceptAll(plain).isEmpty()


def test_windows_by_time_see_ties_in_order(session: Any) -> None:
    ours = session.sql(
        "SELECT k, LAST(id) AS id, SUM(id) AS total FROM near [Range 1 Millisecond] GROUP BY k"
    )
    over = "OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL '0.000999' SECOND PRECEDING)"
    plain = session.sql(f"SELECT k, id, SUM(id) {over} AS total FROM near_rows")
    assert ours.count() == ROWS
    assert ours.exceptAll(plain).isEmpty()


def test_what_is_missing_comes_first(session: Any) -> None:
    """Two keys whose tuples come by turns, the first of them without the number that orders them."""
    session.sql(
        "CREATE TEMPORARY VIEW numbered AS SELECT * FROM "
        "VALUES (1, NULL), (2, NULL), (1, NULL), (2, NULL), (1, 5L), (2, 6L) AS (k, number)"
    )
    both = "SELECT * FROM numbered UNION ALL SELECT * FROM numbered WHERE k > 2"
    session.sql(f"CREATE TEMPORARY STREAM missing ORDER BY current_time, number AS {both}")
    answer = session.sql("SELECT k, COUNT(*) AS n FROM missing [Partition By k Rows 2] GROUP BY k")
    assert [row.n for row in answer.collect()] == [1, 1, 2, 2, 2, 2]
