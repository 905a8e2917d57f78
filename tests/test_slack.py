"""SLACK of a declared stream holds whatever lies between the stream and the window, or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of
from tests.feeds import Feed, declare, second


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Feed:
    made = Feed(spark.newSession(), tmp_path)
    made.stream().createOrReplaceTempView("arrivals")
    return made


def send_out_of_order(feed: Feed) -> None:
    feed.send((1, second(100), 2))
    feed.send((1, second(50), 1))
    feed.send((1, second(9000), 3))


def refused(feed: Feed, statement: str) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.spark.sql(statement)
    return error_class_of(caught.value)


TWICE = "(SELECT * FROM s UNION ALL SELECT * FROM s)"
BETWEEN = {
    "join": ("SELECT v, lag(v) OVER (PARTITION BY id ORDER BY ts) FROM s JOIN names ON id = k", [1, 2]),
    "join in a subquery": ("SELECT v FROM (SELECT s.* FROM s JOIN names ON id = k) q [Rows 1]", [1, 2]),
    "explode": (
        "SELECT v FROM (SELECT id, ts, v, e FROM s LATERAL VIEW explode(array(1, 2)) x AS e) q [Rows 1]",
        [1, 1, 2, 2],
    ),
    "union": (f"SELECT v FROM {TWICE} q [Rows 1]", [1, 1, 2, 2]),
    "union with On": (f"SELECT v FROM {TWICE} q [Rows 1 On ts]", [1, 1, 2, 2]),
    "tuples of a window with On": (
        "SELECT v FROM (SELECT v, ts AS t FROM s [Rows 3]) q [Rows 1 On t]",
        [1, 2],
    ),
    "union in a function": (f"SELECT v, lag(v) OVER (ORDER BY ts) FROM {TWICE}", [1, 1, 2, 2]),
    "the larger of two": (
        "SELECT v FROM (SELECT * FROM s UNION ALL SELECT * FROM hasty) q [Rows 1]",
        [1, 1, 2, 2],
    ),
}


@pytest.mark.parametrize(("query", "values"), BETWEEN.values(), ids=BETWEEN)
def test_slack_holds_above_other_operators(feed: Feed, query: str, values: list[int]) -> None:
    sql = declare(feed, "SLACK 1 HOUR")
    sql("CREATE TEMPORARY STREAM hasty ORDER BY ts SLACK 1 SECOND AS SELECT * FROM arrivals")
    sql("CREATE TEMPORARY VIEW names AS SELECT * FROM VALUES (1, 'a') AS (k, name)")
    send_out_of_order(feed)
    assert [row[0] for row in feed.run(sql(query))] == values
    assert feed.late() == 0


def test_slack_goes_before_the_delays_on_all_sides_of_a_union(feed: Feed) -> None:
    feed.stream().withWatermark("ts", "0 seconds").createOrReplaceTempView("marked")
    feed.spark.sql("""
        CREATE TEMPORARY STREAM u ORDER BY ts SLACK 1 HOUR AS
        SELECT * FROM marked UNION ALL SELECT id, ts, v + 100 AS v FROM marked""")
    send_out_of_order(feed)
    assert feed.run(feed.spark.sql("SELECT v FROM u [Rows 1]")) == [(1,), (101,), (102,), (2,)]
    assert feed.late() == 0


def test_a_union_has_an_event_time_only_if_all_sides_have(feed: Feed) -> None:
    feed.stream().withWatermark("ts", "0 seconds").createOrReplaceTempView("marked")
    sides = "SELECT v, ts FROM marked UNION ALL SELECT v, timestamp_seconds(v) FROM marked"
    assert refused(feed, f"SELECT v FROM ({sides}) q [Rows 1 On ts]") == "CSQL_TIME_NOT_WATERMARKED"


def test_older_tuples_of_an_answer_have_no_watermark(feed: Feed) -> None:
    sql = declare(feed)
    older = "SELECT ts, v FROM s [Rows 3, Frequency 2 Tuples]"
    assert refused(feed, f"SELECT v FROM ({older}) q [Rows 1 On ts]") == "CSQL_TIME_NOT_WATERMARKED"
    assert sql(f"SELECT v FROM ({older}) q [Rows 1]").isStreaming


def test_what_has_waited_already_waits_no_longer(feed: Feed) -> None:
    declare(feed)
    feed.spark.sql("""
        CREATE TEMPORARY STREAM answers ORDER BY at SLACK 5 SECONDS AS
        SELECT evaluation_time() AS at, count(*) AS n FROM s [Rows 5]""")
    assert refused(feed, "SELECT n FROM answers [Rows 1]") == "CSQL_SLACK_UNUSED"


@pytest.mark.parametrize(
    "stream",
    [
        "SLACK 5 SECONDS AS SELECT id, v FROM arrivals",
        "SLACK 5 AS SELECT ts FROM arrivals",
        "ORDER BY current_time SLACK 5 SECONDS AS SELECT id, ts FROM arrivals",
    ],
)
def test_slack_without_a_time_is_refused(feed: Feed, stream: str) -> None:
    assert refused(feed, f"CREATE TEMPORARY STREAM x {stream}") == "CSQL_SLACK_UNUSED"


@pytest.mark.parametrize(
    "stream",
    [
        "SLACK 5 SECONDS AS SELECT id, ts, ts AS other FROM arrivals",
        "SLACK 5 AS SELECT id, v FROM arrivals",
        "SLACK 0 SECONDS AS SELECT id FROM arrivals",
    ],
)
def test_slack_may_await_the_name_of_the_time(feed: Feed, stream: str) -> None:
    feed.spark.sql(f"CREATE TEMPORARY STREAM x {stream}")
