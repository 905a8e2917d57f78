"""Windows of keys slide over files in order without a sort, all keys at a time. Spark's OVER tells their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROWS = 250_000
KEYS = {
    "few": "CAST(IF(id % 97 = 0, NULL, id % 13) AS INT)",
    "name": "CONCAT('n', id % 13)",
    "many": "(id * 7919) % 200003",  # too many to hold the windows of all at the same time
}
FILES = [(150_000, ROWS), (80_000, 150_000), (30_000, 80_000), (0, 30_000)]  # the newest one is the largest


@pytest.fixture(scope="module")
def session(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    own, folder = spark.newSession(), tmp_path_factory.mktemp("runs")
    columns = [f"{key} AS {name}" for name, key in KEYS.items()]
    rows = own.range(ROWS).selectExpr("id", *columns, "timestamp_millis(1767225600000 + id) AS ts")
    for number, (start, end) in enumerate(FILES):
        rows.where(f"id >= {start} AND id < {end}").coalesce(1).write.parquet(str(folder / f"n={number}"))
    own.read.parquet(str(folder)).createOrReplaceTempView("files")
    own.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT * FROM files")
    return own


@pytest.mark.parametrize(
    ("key", "window", "frame"),
    [
        ("few", "Partition By few Rows 20", "ROWS 19 PRECEDING"),
        ("name", "Partition By name Rows 20", "ROWS 19 PRECEDING"),
        ("many", "Partition By many Rows 2", "ROWS 1 PRECEDING"),
        ("many", "Range 220 Seconds", "RANGE INTERVAL '219.999' SECOND PRECEDING"),
        ("few", "Range 1 Second", "RANGE INTERVAL '0.999' SECOND PRECEDING"),
        ("few", "Range Unbounded", "ROWS UNBOUNDED PRECEDING"),
    ],
)
def test_as_spark(session: Any, key: str, window: str, frame: str) -> None:
    ours = session.sql(
        f"SELECT {key}, MAX(id) AS id, COUNT(*) AS n, SUM(id) AS total FROM s [{window}] GROUP BY {key}"
    )
    assert ours.count() == ROWS
    over = f"OVER (PARTITION BY {key} ORDER BY ts {frame})"
    plain = session.sql(f"SELECT {key}, id, COUNT(*) {over} AS n, SUM(id) {over} AS total FROM files")
    assert ours.exceptAll(plain).isEmpty()


def test_tuples_that_where_leaves_out_count(session: Any) -> None:
    ours = session.sql(
        "SELECT few, MAX(id) AS id, SUM(id) AS total FROM s [Partition By few Rows 9] WHERE id % 3 > 0 GROUP BY few"
    )
    total = "SUM(IF(id % 3 > 0, id, 0)) OVER (PARTITION BY few ORDER BY ts ROWS 8 PRECEDING) AS total"
    plain = session.sql(f"SELECT few, id, total FROM (SELECT few, id, {total} FROM files) WHERE id % 3 > 0")
    assert ours.count() == plain.count()
    assert ours.exceptAll(plain).isEmpty()


def test_the_answer_is_in_order(session: Any) -> None:
    answer = session.sql("SELECT MAX(id) AS id FROM s [Partition By few Rows 3] GROUP BY few")
    assert [row.id for row in answer.collect()] == list(range(ROWS))
    assert "rows are in order" in plan_after_run(answer)


def test_windows_that_memory_does_not_hold(session: Any, tmp_path: Path) -> None:
    """1.2 GB by estimate, more than the heap's share for tasks: from some row on keys come one after another."""
    rows = session.range(0, 80_000, 1, 1).selectExpr("id", "id % 13 AS k", "REPEAT('x', 15000) AS text")
    rows.selectExpr("*", "timestamp_seconds(id) AS ts").write.parquet(str(tmp_path / "texts"))
    session.read.parquet(str(tmp_path / "texts")).createOrReplaceTempView("long_texts")
    session.sql("CREATE TEMPORARY STREAM l ORDER BY ts AS SELECT * FROM long_texts")
    ours = session.sql(
        "SELECT k, MAX(id) AS id, COUNT(text) AS n, SUM(id) AS total FROM l [Partition By k Rows 10000] GROUP BY k"
    )
    assert ours.count() == 80_000
    over = "OVER (PARTITION BY k ORDER BY ts ROWS 9999 PRECEDING)"
    plain = session.sql(f"SELECT k, id, COUNT(*) {over} AS n, SUM(id) {over} AS total FROM long_texts")
    assert ours.exceptAll(plain).isEmpty()


def test_rows_of_all_sizes(session: Any, tmp_path: Path) -> None:
    """Some are larger than the blocks in which rows are shuffled."""
    text = "CONCAT(LPAD(CAST((id * 7919) % 1000 AS STRING), 4, '0'), REPEAT('x', CAST(id % 7 * 9000 AS INT))) AS text"
    rows = session.range(0, 400, 1, 1).selectExpr("id", "id % 3 AS k", text, "timestamp_seconds(id) AS ts")
    rows.write.parquet(str(tmp_path / "texts"))
    session.read.parquet(str(tmp_path / "texts")).createOrReplaceTempView("texts")
    session.sql("CREATE TEMPORARY STREAM t ORDER BY ts AS SELECT * FROM texts")
    ours = session.sql("SELECT k, MAX(id) AS id, MAX(text) AS text FROM t [Partition By k Rows 5] GROUP BY k")
    assert "rows are in order" in plan_after_run(ours)
    over = "OVER (PARTITION BY k ORDER BY ts ROWS 4 PRECEDING)"
    plain = session.sql(f"SELECT k, id, MAX(text) {over} AS text FROM texts")
    assert sorted(ours.collect()) == sorted(plain.collect())


def plan_after_run(answer: Any) -> str:
    answer.collect()
    return str(answer._jdf.queryExecution().executedPlan().toString())
