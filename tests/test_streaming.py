"""Streams that have not ended: late rows, clocks, chains, restarts and window functions, through spark.sql."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of
from tests.feeds import Feed, declare, second

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PACKAGE = "org.apache.spark.sql.execution.streaming.state"


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Feed:
    made = Feed(spark.newSession(), tmp_path)
    made.stream().createOrReplaceTempView("arrivals")
    return made


def test_late_rows_are_dropped_counted_and_readable(feed: Feed) -> None:
    sql = declare(feed, "SLACK 5 SECONDS LATE INTO too_late")
    totals, late = sql("SELECT sum(v) AS total FROM s [Range 1 Minute]"), sql("SELECT v FROM too_late")
    feed.send((1, second(0), 1), (1, second(10), 2))
    assert feed.kept(totals) == [(1,)]
    assert feed.kept(late, "late") == []
    feed.send(
        (1, second(3), 3), (1, second(5), 4)
    )  # the watermark is at 5: the first is late, the second is not
    feed.send((1, second(100), 5))
    assert feed.kept(totals) == [(1,), (5,), (7,)]
    assert feed.late() == 1
    assert feed.kept(late, "late") == [(3,)]


def test_a_dropped_stream_takes_its_late_rows_along(feed: Feed) -> None:
    declaration = (
        "CREATE {} STREAM s ORDER BY ts LATE INTO late_s AS SELECT 1 AS v, TIMESTAMP '2026-01-01' AS ts"
    )
    for kind in ("TEMPORARY", ""):
        for _ in range(2):  # the names are free again
            feed.spark.sql(declaration.format(kind))
            feed.spark.sql("DROP STREAM s")
        assert not feed.spark.catalog.tableExists("late_s")


def test_a_replaced_stream_takes_its_late_rows_along(feed: Feed) -> None:
    query = "AS SELECT 1 AS v, TIMESTAMP '2026-01-01' AS ts"
    for kind in ("TEMPORARY", ""):
        replace = f"CREATE OR REPLACE {kind} STREAM s ORDER BY ts"
        feed.spark.sql(f"{replace} LATE INTO first_late {query}")
        feed.spark.sql(f"{replace} LATE INTO first_late {query}")
        feed.spark.sql(f"{replace} LATE INTO second_late {query}")
        assert not feed.spark.catalog.tableExists("first_late")
        assert feed.spark.catalog.tableExists("second_late")
        feed.spark.sql(f"{replace} {query}")
        assert not feed.spark.catalog.tableExists("second_late")
        feed.spark.sql("DROP STREAM s")


def test_late_rows_replace_no_stream_of_another_kind(feed: Feed) -> None:
    feed.spark.sql("CREATE TEMPORARY STREAM other AS SELECT 1 AS v")
    query = "AS SELECT 1 AS v, TIMESTAMP '2026-01-01' AS ts"
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.spark.sql(f"CREATE OR REPLACE TEMPORARY STREAM s ORDER BY ts LATE INTO other {query}")
    assert error_class_of(caught.value) == "CSQL_STREAM_EXISTS"
    assert feed.spark.table("other").collect() == [(1,)]


def test_another_stream_of_that_name_stays(feed: Feed) -> None:
    declare(feed, "LATE INTO late_s")
    feed.spark.sql("DROP STREAM late_s")
    feed.spark.sql("CREATE TEMPORARY STREAM late_s AS SELECT 1 AS v")
    feed.spark.sql("DROP STREAM s")
    assert feed.spark.table("late_s").collect() == [(1,)]


def test_equal_times_across_micro_batches_are_not_late(feed: Feed) -> None:
    sql = declare(feed)
    feed.send((1, second(1), 1), (1, second(5), 2))
    feed.send((2, second(5), 3))
    feed.send((1, second(9), 4))
    assert feed.run(sql("SELECT v FROM s [Rows 1]")) == [(1,), (2,), (3,)]
    assert feed.late() == 0


def test_an_idle_key_is_answered_when_others_move_the_watermark(feed: Feed) -> None:
    sql = declare(feed)
    feed.send((1, second(1), 1))
    feed.send((2, second(1000), 2))
    answers = feed.run(
        sql("SELECT id, count(*) AS n FROM s [Range 20 Seconds, Frequency 10 Seconds] GROUP BY id")
    )
    assert answers == [(1, 1), (1, 1)]
    assert feed.progress[-1]["stateOperators"][0]["numRowsTotal"] <= 6  # nothing of the first key is left


def test_a_silent_key_expires_when_others_move_the_watermark(feed: Feed) -> None:
    sql = declare(feed)
    over = "COUNT(*) OVER (PARTITION BY id RANGE 20 SECONDS PRECEDING ACTIVE EXPIRATION)"
    query = f"SELECT id, evaluation_time() AS at, {over} AS n FROM s"
    feed.send((1, second(1), 1))
    assert feed.kept(sql(query)) == []
    feed.send((2, second(1000), 2))
    assert feed.kept(sql(query)) == [(1, second(1), 1), (1, second(21), 0)]
    assert feed.progress[-1]["stateOperators"][0]["numRowsTotal"] <= 6  # nothing of the first key is left


def test_the_last_tuple_of_a_slot_is_held_across_restarts(feed: Feed) -> None:
    sql = declare(feed)
    query = "SELECT id, SUM(v) OVER (RANGE 10 SECONDS PRECEDING SLIDE 10 SECONDS) AS n FROM s"
    feed.send((1, second(1), 1), (2, second(4), 2))
    assert feed.kept(sql(query)) == []
    feed.send((3, second(8), 4))
    assert feed.kept(sql(query)) == []
    feed.send((4, second(11), 8))
    assert feed.kept(sql(query)) == [(3, 7)]


@pytest.mark.parametrize(("window", "most"), [("ROWS 999 PRECEDING SLIDE 500", 4), ("ROWS 9 PRECEDING", 40)])
def test_state_of_slides_is_that_of_panes(feed: Feed, window: str, most: int) -> None:
    sql = declare(feed)
    feed.send(*((n, second(n), n) for n in range(1200)))
    feed.run(sql(f"SELECT SUM(v) OVER ({window}) AS n FROM s"))
    assert feed.progress[-1]["stateOperators"][0]["numRowsTotal"] <= most


def test_internal_time_needs_no_column(feed: Feed) -> None:
    feed.spark.sql("CREATE TEMPORARY STREAM stamped ORDER BY current_time AS SELECT id, v FROM arrivals")
    feed.send((1, second(0), 1), (1, second(0), 2))
    feed.send((1, second(0), 3))
    frame = feed.spark.sql("SELECT count(*) AS n, evaluation_time() AS at FROM stamped [Range 1 Hour]")
    query = frame.writeStream.format("memory").queryName("stamped_answers").start()
    try:
        query.processAllAvailable()  # comes back when the clock has passed the last row
        rows = feed.spark.table("stamped_answers").collect()
    finally:
        query.stop()
    assert sorted(row.n for row in rows) == [1, 2, 3]


def test_times_before_1970_are_refused_by_name(feed: Feed) -> None:
    sql = declare(feed)
    feed.send((1, dt.datetime(1969, 12, 31), 1))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.run(sql("SELECT count(*) FROM s [Rows 2]"))
    assert error_class_of(caught.value) == "CSQL_STREAM_TIME_NEGATIVE"


def test_numbers_beyond_the_watermark_are_refused_by_name(feed: Feed) -> None:
    nanoseconds = "SELECT id, v * 1000000000000000000L AS t FROM arrivals"
    feed.spark.sql(f"CREATE TEMPORARY STREAM n ORDER BY t AS {nanoseconds}")
    feed.send((1, second(0), 1))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.run(feed.spark.sql("SELECT count(*) FROM n [Rows 2]"))
    assert error_class_of(caught.value) == "CSQL_STREAM_TIME_LARGE"


def test_nothing_of_a_stream_without_a_time_is_late(feed: Feed) -> None:
    feed.spark.sql("CREATE TEMPORARY STREAM latent LATE INTO none AS SELECT id, v FROM arrivals")
    feed.send((1, second(5), 1))
    feed.send((1, second(0), 1))
    assert feed.run(feed.spark.sql("SELECT * FROM none")) == []


SLACKENED = {
    "function of Spark": "SELECT v, lag(v) OVER (PARTITION BY id ORDER BY ts) AS x FROM s",
    "subquery": "SELECT v, 1 AS x FROM (SELECT * FROM s WHERE v > 0) q [Rows 1 On ts]",
    "view": "SELECT v, 1 AS x FROM positive [Rows 1 On ts]",
}


@pytest.mark.parametrize("query", SLACKENED.values(), ids=SLACKENED)
def test_slack_holds_whatever_stands_above_the_stream(feed: Feed, query: str) -> None:
    sql = declare(feed, "SLACK 1 HOUR")
    sql("CREATE OR REPLACE TEMPORARY VIEW positive AS SELECT id, ts, v FROM s WHERE v > 0")
    feed.send((1, second(100), 2))
    feed.send((1, second(50), 1))
    feed.send((1, second(9000), 3))
    assert [row[0] for row in feed.run(sql(query))] == [1, 2]
    assert feed.late() == 0


def test_what_is_filtered_out_before_the_window_needs_no_time(feed: Feed) -> None:
    feed.spark.sql(
        "CREATE TEMPORARY STREAM faulty ORDER BY ts AS SELECT id, IF(v = 2, NULL, ts) AS ts, v FROM arrivals"
    )
    feed.send((1, second(1), 1), (1, second(2), 2))
    feed.send((1, second(3), 3), (1, second(9), 4))
    timed = feed.spark.sql("SELECT SUM(v) AS n FROM (SELECT * FROM faulty WHERE ts IS NOT NULL) [Rows 2]")
    assert feed.run(timed) == [(1,), (4,)]


def test_an_alias_of_joined_items_makes_no_query_of_them(feed: Feed) -> None:
    sql = declare(feed)
    sql("CREATE TEMPORARY VIEW names AS SELECT * FROM VALUES (1, 'one'), (2, 'two') AS (id, name)")
    feed.send((1, second(1), 1), (2, second(2), 2))
    feed.send((2, second(3), 3), (1, second(9), 4))
    counts = sql("SELECT j.name, COUNT(*) AS n FROM (s [Rows 2] JOIN names USING (id)) AS j GROUP BY j.name")
    assert feed.run(counts) == [("one", 1), ("two", 1), ("two", 2)]


def test_slack_goes_before_the_delay_of_a_watermark(feed: Feed) -> None:
    feed.stream().withWatermark("ts", "0 seconds").createOrReplaceTempView("marked")
    feed.spark.sql("CREATE TEMPORARY STREAM s ORDER BY ts SLACK 1 HOUR AS SELECT * FROM marked")
    feed.send((1, second(100), 2))
    feed.send((1, second(50), 1))
    feed.send((1, second(9000), 3))
    assert feed.run(feed.spark.sql("SELECT v FROM s [Rows 1]")) == [(1,), (2,)]
    assert feed.late() == 0


UNANSWERED = {
    "a window that empties": """
        SELECT a.id FROM a [Rows 5] WHERE a.id NOT IN (SELECT id FROM b [Range 10 Seconds, Frequency 5 Seconds])""",
    "arrivals of a subquery": "SELECT a.id FROM a [Rows 5] WHERE a.id IN (SELECT id FROM b [Range 1 Hour])",
    "arrivals before a jump": """
        SELECT a.id, b.v FROM a [Rows 5, Frequency 2 Tuples] LEFT JOIN b [Range 10 Seconds] ON a.id = b.id""",
}


@pytest.mark.parametrize("query", UNANSWERED.values(), ids=UNANSWERED)
def test_what_has_changed_before_a_restart_is_told_after_it(spark: Any, tmp_path: Path, query: str) -> None:
    session = spark.newSession()
    feeds = {name: Feed(session, tmp_path / name) for name in ("a", "b")}
    for name, feed in feeds.items():
        feed.stream().createOrReplaceTempView(f"{name}_rows")
        session.sql(f"CREATE TEMPORARY STREAM {name} ORDER BY ts AS SELECT * FROM {name}_rows")
    a, b = feeds["a"], feeds["b"]
    parts = [
        ([(1, second(6), 0)], [(1, second(1), 1)]),
        ([(9, second(17), 0)], [(9, second(14), 2), (8, second(17), 3)]),
        ([(7, second(30), 0)], [(1, second(19), 4), (7, second(30), 5)]),
        ([(6, second(31), 0), (5, second(50), 0)], [(5, second(50), 0)]),
    ]
    for rows_a, rows_b in parts:
        a.send(*rows_a)
        b.send(*rows_b)
        answer = a.kept(session.sql(query), "cut")
    assert answer
    assert answer == a.kept(session.sql(query), "whole")


def test_ours_before_and_after_a_window_of_spark(feed: Feed) -> None:
    declare(feed)
    for i in range(6):
        feed.send((1, second(4 * i), 1), (2, second(4 * i + 1), 1))
    feed.send((3, second(1000), 0))
    before = feed.spark.sql("""
        SELECT window.end AS at, count(*) AS n, max(total) AS top
        FROM (SELECT evaluation_time() AS t, sum(v) AS total FROM s [Rows 5] WHERE id < 3)
        GROUP BY window(t, '10 seconds')""")
    assert feed.run(before, "before") == [(second(10), 6, 5), (second(20), 4, 5), (second(30), 2, 5)]
    feed.stream().withWatermark("ts", "0 seconds").createOrReplaceTempView("marked")
    after = feed.spark.sql("""
        SELECT sum(n) AS running FROM (
          SELECT window_time(window) AS t, n
          FROM (SELECT window, count(*) AS n FROM marked GROUP BY window(ts, '10 seconds'))
        ) [Rows 2]""")
    assert feed.run(after, "after") == [(10,), (6,), (6,)]


@pytest.mark.parametrize("provider", ["HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider"])
def test_a_changed_query_is_refused_and_a_projection_is_not(feed: Feed, provider: str) -> None:
    declare(feed)
    feed.spark.conf.set(PROVIDER, f"{PACKAGE}.{provider}")
    block = "SELECT id, sum(v) AS total FROM s [Partition By id Rows 3] GROUP BY id"
    feed.send((1, second(0), 1), (1, second(1), 2))
    feed.send((1, second(2), 3))
    feed.kept(feed.spark.sql(block))
    feed.send((1, second(3), 4))
    feed.send((1, second(100), 5))
    changed = {
        "window": "SELECT id, sum(v) AS total FROM s [Partition By id Rows 4] GROUP BY id",
        "condition": "SELECT id, sum(v) AS total FROM s [Partition By id Rows 3] WHERE v > 1 GROUP BY id",
        "function": "SELECT id, max(v) AS total FROM s [Partition By id Rows 3] GROUP BY id",
    }
    for query in changed.values():
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
            feed.kept(feed.spark.sql(query))
        assert error_class_of(caught.value) == "CSQL_STATE_CHANGED"
    projected = f"SELECT id, total + 0 AS total FROM ({block}) WHERE total > 0"
    assert feed.kept(feed.spark.sql(projected)) == [(1, 1), (1, 3), (1, 6), (1, 9)]


def test_the_same_length_in_another_unit_is_no_change(feed: Feed) -> None:
    declare(feed)
    query = "SELECT count(*) AS n FROM s [Range 1 Minute, Frequency 2 Tuples]"
    feed.send((1, second(0), 1), (1, second(1), 2))
    feed.kept(feed.spark.sql(query))
    feed.send((1, second(2), 3), (1, second(3), 4), (1, second(100), 5))
    same = query.replace("1 Minute", "60 Seconds")
    assert feed.kept(feed.spark.sql(same)) == [(2,), (4,)]


def test_how_a_function_takes_nulls_is_part_of_the_query(feed: Feed) -> None:
    declare(feed)
    query = "SELECT first(v) AS x FROM s [Range Unbounded]"
    feed.send((1, second(0), 1))
    feed.kept(feed.spark.sql(query))
    feed.send((1, second(1), 2))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        feed.kept(feed.spark.sql(query.replace("(v)", "(v) IGNORE NULLS")))
    assert error_class_of(caught.value) == "CSQL_STATE_CHANGED"


ORDERS = {
    "time": ("ORDER BY ts", "ORDER BY other"),
    "tie": ("ORDER BY ts, id", "ORDER BY ts, v"),
}
ORDERED = {
    "sliding": "SELECT id, count(*) AS n FROM x [Rows 2] GROUP BY id",
    "panes": "SELECT id, count(*) AS n FROM x [Range 20 Seconds, Frequency 10 Seconds] GROUP BY id",
    "relations": "SELECT a.id FROM x [Rows 2] AS a JOIN x [Rows 2] AS b ON a.id = b.id",
}


@pytest.mark.parametrize("query", ORDERED.values(), ids=ORDERED)
@pytest.mark.parametrize(("before", "after"), ORDERS.values(), ids=ORDERS)
def test_what_orders_a_stream_is_part_of_the_query(feed: Feed, before: str, after: str, query: str) -> None:
    def ordered(by: str) -> Any:
        rows = "SELECT id, v, ts, ts + INTERVAL 1 HOUR AS other FROM arrivals"
        feed.spark.sql(f"CREATE OR REPLACE TEMPORARY STREAM x {by} AS {rows}")
        return feed.spark.sql(query)

    feed.send((1, second(0), 1))
    feed.kept(ordered(before))
    feed.send((1, second(1), 2))
    feed.kept(ordered(before.upper()))
    if query != ORDERED["panes"] or "other" in after:  # panes are merged in any order
        feed.send((1, second(2), 3))
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
            feed.kept(ordered(after))
        assert error_class_of(caught.value) == "CSQL_STATE_CHANGED"


def test_chains_over_one_dataframe_have_their_own_watermarks(feed: Feed) -> None:
    """Both sides come from the same analysed plan, with one watermark."""
    for start in range(0, 60, 20):
        feed.send(*[(i % 3, second(i), i) for i in range(start, start + 20)])
    feed.send((0, second(1000), 0))
    sql = declare(feed)
    sql(
        "SELECT id, count(*) AS n FROM s [Range 3 Seconds, Frequency 2 Seconds] GROUP BY id"
    ).createOrReplaceTempView("counts")
    sides = [
        "SELECT id, sum(n) AS m FROM counts [Range 4 Seconds, Frequency 2 Seconds] GROUP BY id",
        "SELECT id, max(n) AS m FROM counts [Rows 3] GROUP BY id",
    ]
    alone = [row for n, side in enumerate(sides) for row in feed.run(sql(side), f"alone-{n}")]
    both = feed.run(sql(" UNION ALL ".join(f"SELECT * FROM ({side})" for side in sides)))
    assert both == sorted(alone, key=str)
