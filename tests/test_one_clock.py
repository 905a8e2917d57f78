"""A query has one watermark and one output mode for all of its streams: what they cannot serve is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of
from tests.feeds import Feed, declare, second

COUNTED = "SELECT 'n' AS w, count(*) AS c FROM n [Range 10]"
TIMED = "SELECT 's' AS w, count(*) AS c FROM s [Range 10 Seconds]"
LAGGED = "SELECT 'l' AS w, CAST(lag(v) OVER (ORDER BY ts) AS BIGINT) AS c FROM arrivals"


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Feed:
    made = Feed(spark.newSession(), tmp_path)
    made.stream().createOrReplaceTempView("arrivals")
    declare(made)
    made.spark.sql("CREATE TEMPORARY STREAM n ORDER BY v AS SELECT id, v FROM arrivals")
    return made


def marked(feed: Feed) -> Any:
    return feed.stream().withWatermark("ts", "0 seconds")


MEETINGS = {
    "in plain SQL": lambda feed: feed.spark.sql(
        f"SELECT * FROM ({COUNTED}) UNION ALL SELECT * FROM ({TIMED})"
    ),
    "of DataFrames": lambda feed: feed.spark.sql(COUNTED).unionAll(feed.spark.sql(TIMED)),
    "with a window function": lambda feed: feed.spark.sql(COUNTED).unionAll(feed.spark.sql(LAGGED)),
    "with a watermark of Spark": lambda feed: feed.spark.sql(COUNTED).unionAll(
        marked(feed).selectExpr("'r' AS w", "CAST(v AS BIGINT) AS c")
    ),
}


@pytest.mark.parametrize("meeting", MEETINGS.values(), ids=MEETINGS)
def test_integers_and_instants_share_no_watermark(feed: Feed, meeting: Any) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        meeting(feed)
    assert error_class_of(caught.value) == "CSQL_TIME_TYPES_DIFFER"


def test_integers_share_a_watermark_with_integers(feed: Feed) -> None:
    feed.send((1, second(0), 1), (1, second(1), 20), (1, second(2), 25))
    both = feed.spark.sql(COUNTED).unionAll(feed.spark.sql(COUNTED.replace("'n'", "'m'")))
    assert feed.run(both) == [("m", 1), ("m", 1), ("n", 1), ("n", 1)]


def test_other_rows_share_a_query_with_integers(feed: Feed) -> None:
    feed.send((1, second(0), 1), (1, second(1), 20))
    both = feed.spark.sql(COUNTED).unionAll(
        feed.spark.sql("SELECT 'a' AS w, CAST(v AS BIGINT) FROM arrivals")
    )
    assert feed.run(both) == [("a", 1), ("a", 20), ("n", 1)]


AFTER_SPARK = """
    SELECT sum(n) AS running FROM (
      SELECT window_time(window) AS t, n
      FROM (SELECT window, count(*) AS n FROM marked GROUP BY window(ts, '10 seconds'))
    ) [Rows 2]"""


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_rows_that_are_taken_back_reach_no_window(feed: Feed, mode: str) -> None:
    marked(feed).createOrReplaceTempView("marked")
    feed.send((1, second(0), 1))
    writer = feed.spark.sql(AFTER_SPARK).writeStream.outputMode(mode).format("memory").queryName(f"in_{mode}")
    query = writer.trigger(availableNow=True).start()
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        query.awaitTermination()
    assert error_class_of(caught.value) == "CSQL_OUTPUT_MODE"


def test_update_mode_without_an_aggregation_below_adds_rows(feed: Feed) -> None:
    feed.send((1, second(0), 1), (1, second(1), 2), (1, second(30), 3))
    writer = feed.spark.sql(TIMED).writeStream.outputMode("update").format("memory").queryName("updated")
    writer.trigger(availableNow=True).start().awaitTermination()
    assert sorted(map(tuple, feed.spark.table("updated").collect())) == [("s", 1), ("s", 2)]
