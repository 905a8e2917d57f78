"""Spark's own window functions over streams that have not ended, through spark.sql."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of
from tests.feeds import COLUMNS, Feed, second


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Feed:
    made = Feed(spark.newSession(), tmp_path)
    made.stream().createOrReplaceTempView("arrivals")
    return made


OVER = """
    SELECT id, v, sum(v) OVER (PARTITION BY id ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a,
      count(*) OVER (PARTITION BY id ORDER BY ts) AS b,
      max(v) OVER (PARTITION BY id ORDER BY ts RANGE BETWEEN INTERVAL 9 SECONDS PRECEDING AND CURRENT ROW) AS c,
      collect_list(v) OVER (PARTITION BY id ORDER BY ts ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS d,
      lag(v, 2, -1) OVER (PARTITION BY id ORDER BY ts) AS e,
      lag(v) OVER (PARTITION BY id ORDER BY ts) AS e1,
      row_number() OVER (PARTITION BY id ORDER BY ts) AS f,
      rank() OVER (PARTITION BY id ORDER BY ts, v) AS g,
      avg(v) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 20 SECONDS PRECEDING AND INTERVAL 5 SECONDS PRECEDING) AS h,
      sum(v) OVER (PARTITION BY id ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS i,
      sum(v) OVER (ORDER BY ts RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 5 SECONDS PRECEDING) AS j,
      lag(nullif(v % 4, 1), 1, -1) IGNORE NULLS OVER (PARTITION BY id ORDER BY ts) AS k,
      nth_value(v, 2) OVER (PARTITION BY id ORDER BY ts) AS l,
      nth_value(nullif(v % 4, 1), 2) IGNORE NULLS OVER (PARTITION BY id ORDER BY ts
        ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS m
    FROM rows_of"""


def test_window_functions_of_spark_look_back_on_a_stream(feed: Feed) -> None:
    rows = [(i % 3, second(3 * (i // 2)), i) for i in range(30)]
    for start in range(0, 30, 7):
        feed.send(*rows[start : start + 7])
    feed.send((9, second(10000), 0))
    feed.spark.createDataFrame([*rows, (9, second(10000), 0)], COLUMNS).coalesce(1).createOrReplaceTempView(
        "rows_of"
    )
    expected = sorted((tuple(r) for r in feed.spark.sql(OVER).collect() if r.id != 9), key=str)
    feed.stream().createOrReplaceTempView("rows_of")
    assert feed.run(feed.spark.sql(OVER)) == expected


@pytest.mark.parametrize(
    "call",
    [
        "lead(v) OVER (ORDER BY ts)",
        "sum(v) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)",
        "sum(v) OVER (ORDER BY v)",
        "sum(v) OVER (ORDER BY ts DESC)",
        "ntile(3) OVER (ORDER BY ts)",
        "lag(v, 2) IGNORE NULLS OVER (ORDER BY ts)",
    ],
)
def test_window_functions_that_look_too_far_are_refused_by_name(feed: Feed, call: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.spark.sql(f"SELECT {call} FROM arrivals")
    assert error_class_of(caught.value) == "CSQL_STREAM_OVER"


def test_rows_of_equal_order_are_peers_whatever_their_bytes(feed: Feed) -> None:
    query = "SELECT id, count(*) OVER (ORDER BY ts, f) AS n FROM (SELECT id, ts, IF(v = 0, 0.0D, -0.0D) AS f FROM arrivals)"
    feed.send((1, second(1), 0), (2, second(1), 1), (3, second(1), 0))
    feed.send((9, second(100), 0))
    assert feed.run(feed.spark.sql(query)) == [(1, 3), (2, 3), (3, 3)]


def test_days_are_a_fixed_distance_between_dates(feed: Feed) -> None:
    sql = "SELECT v, sum(v) OVER (ORDER BY d RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW) AS n FROM days"
    feed.spark.sql(
        "CREATE OR REPLACE TEMPORARY STREAM days ORDER BY d AS SELECT v, DATE'2026-01-01' + v AS d FROM arrivals"
    )
    feed.send(*[(1, second(0), v) for v in (1, 2, 4, 5)])
    feed.send((1, second(0), 100))
    assert feed.run(feed.spark.sql(sql)) == [(1, 1), (2, 3), (4, 4), (5, 9)]


def test_texts_that_a_collation_takes_for_equal_are_refused_as_peers(feed: Feed) -> None:
    texts = "(SELECT id, ts, CAST(v AS STRING) COLLATE UTF8_LCASE AS c FROM arrivals)"
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.spark.sql(f"SELECT count(*) OVER (ORDER BY ts, c) FROM {texts}")
    assert error_class_of(caught.value) == "CSQL_NOT_SUPPORTED_YET"
