"""Rows of sliding windows are sorted by a part of their key's hash: keys that share it are still kept apart."""

from __future__ import annotations

from typing import Any

import pytest

ROWS = 400


@pytest.fixture(scope="module")
def keys(spark: Any) -> tuple[int, int]:
    """Two keys of one partition whose hashes differ in the last 8 bits at most, and a stream that changes between them."""
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    found = spark.sql(
        "SELECT MIN(id) AS a, MAX(id) AS b FROM range(100000) "
        f"GROUP BY shiftright(hash(id), 8), pmod(hash(id), {partitions}) HAVING COUNT(*) = 2"
    ).first()
    spark.sql(
        f"SELECT IF(id * id % 7 < 3, {found.a}, {found.b}) AS k, id * 31 % 100 AS v, "
        f"timestamp_seconds(id) AS ts FROM range(0, {ROWS}, 1, 3)"
    ).createOrReplaceTempView("changing")
    return found.a, found.b


@pytest.mark.parametrize(
    ("window", "frame"),
    [
        ("[Partition By k Rows 4]", "ROWS 3 PRECEDING"),
        ("[Range 1 Minute]", "RANGE BETWEEN INTERVAL 59 SECONDS PRECEDING AND CURRENT ROW"),
    ],
)
def test_windows_of_each_key(spark: Any, keys: tuple[int, int], window: str, frame: str) -> None:
    ours = spark.sql(
        f"SELECT evaluation_time(), k, SUM(v), COUNT(*), MAX(v) FROM changing {window} GROUP BY k"
    )
    plain = spark.sql(
        "SELECT ts, k, SUM(v) OVER w, COUNT(*) OVER w, MAX(v) OVER w FROM changing "
        f"WINDOW w AS (PARTITION BY k ORDER BY ts {frame})"
    )
    assert ours.count() == ROWS
    assert ours.exceptAll(plain).isEmpty()


def test_one_answer_for_each_key_of_a_join(spark: Any, keys: tuple[int, int]) -> None:
    a, b = keys
    spark.sql(f"SELECT * FROM VALUES ({a}), ({b}), ({a}) AS t(joined)").createOrReplaceTempView("keys")
    counts = spark.sql("SELECT joined, COUNT(*) FROM changing [Rows 5], keys GROUP BY joined").collect()
    sizes = [min(number, 5) for number in range(1, ROWS + 1)]
    assert sorted(counts) == sorted([(a, 2 * n) for n in sizes] + [(b, n) for n in sizes])
