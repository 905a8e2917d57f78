"""OVER with SLIDE and ACTIVE EXPIRATION in the company of Spark's own SQL: names, views, the DataFrame API, EXPLAIN."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.batch import error_class_of

ROWS = [
    (k, v, dt.datetime(2026, 1, 1, 0, 0, s))
    for k, v, s in [("a", 1, 1), ("b", 2, 2), ("a", 3, 3), ("a", 4, 7)]
]


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.createDataFrame(ROWS, "k STRING, v INT, ts TIMESTAMP").coalesce(1).createOrReplaceTempView(
        "rows_of_s"
    )
    own.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT * FROM rows_of_s")
    return own


def rows(session: Any, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


SLIDE = "SELECT v, SUM(v) OVER (ROWS 1 PRECEDING SLIDE 2) AS two FROM s"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT v, SUM(v) OVER w AS two FROM s WINDOW w AS (ROWS 1 PRECEDING SLIDE 2)", [(2, 3), (4, 7)]),
        (f"{SLIDE} QUALIFY two > 3", [(4, 7)]),
        (f"WITH q AS ({SLIDE}) SELECT two FROM q [Rows 1] WHERE v > 2", [(7,)]),
        (f"SELECT MAX(two) FROM ({SLIDE})", [(7,)]),
        ("SELECT COUNT(DISTINCT k) OVER (ROWS 2 PRECEDING) AS n FROM s", [(1,), (2,), (2,), (2,)]),
        ("SELECT SUM(v) OVER (PARTITION BY 1 ROWS 1 PRECEDING SLIDE 2) AS two FROM s", [(3,), (7,)]),
        ("SELECT v FROM s WHERE v IN (SELECT MAX(v) OVER (ROWS 1 PRECEDING SLIDE 4) FROM s)", [(4,)]),
    ],
)
def test_spark_sql_around_it(session: Any, sql: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows(session, sql) == expected


def test_a_view_keeps_it(session: Any) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW halves AS {SLIDE}")
    assert rows(session, "SELECT * FROM halves") == [(2, 3), (4, 7)]


def test_a_data_frame_without_order_is_a_window_of_the_stream(session: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    running = session.table("s").select("v", f.sum("v").over(Window.partitionBy("k")).alias("total"))
    assert [tuple(row) for row in running.collect()] == [(1, 1), (2, 2), (3, 4), (4, 8)]


EVERYTHING = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT SUM(v) OVER ({EVERYTHING}) FROM s",
        f"SELECT SUM(v) OVER ({EVERYTHING} SLIDE 2) FROM s",
        f"SELECT SUM(v) OVER (ORDER BY ts {EVERYTHING} SLIDE 2) FROM rows_of_s",
        "SELECT SUM(v) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING SLIDE 2 SECONDS) FROM s",
        f"SELECT SUM(v) OVER w FROM s WINDOW w AS ({EVERYTHING})",
    ],
)
def test_a_frame_that_somebody_wrote_is_not_taken_for_none(session: Any, sql: str) -> None:
    with pytest.raises(Exception, match="CSQL_OVER_FRAME"):
        rows(session, sql)


@pytest.mark.parametrize(
    "over", ["PARTITION BY k", "ORDER BY v", "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"]
)
def test_plain_over_on_a_table_is_spark_s_own(session: Any, over: str) -> None:
    plan = session.sql(f"EXPLAIN SELECT SUM(v) OVER ({over}) FROM rows_of_s").collect()[0][0]
    assert "ContinuousAnswer" not in plan
    assert "Window" in plan


def test_range_without_order_on_a_table_is_spark_s_own_error(session: Any) -> None:
    with pytest.raises(Exception, match="RANGE_FRAME_WITHOUT_ORDER"):
        rows(session, "SELECT SUM(v) OVER (RANGE 5 PRECEDING) FROM rows_of_s")


def test_grouped_rows_have_no_order(session: Any) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        rows(session, "SELECT k, SUM(SUM(v)) OVER (ROWS 1 PRECEDING SLIDE 2) FROM s GROUP BY k")
    assert error_class_of(caught.value) == "CSQL_NOT_SUPPORTED_YET"


@pytest.mark.parametrize(
    ("window", "way"),
    [
        ("SUM(v) OVER (ROWS 5 PRECEDING SLIDE 4)", "panes of 2"),
        ("SUM(v) OVER (ROWS 9 PRECEDING SLIDE 28)", "one pane a window"),
        ("SUM(v) OVER (ROWS 5 PRECEDING)", "two stacks"),
        ("collect_list(v) OVER (ROWS 5 PRECEDING SLIDE 4)", "rows added up anew for each answer"),
        ("SUM(v) OVER (RANGE 2 SECONDS PRECEDING SLIDE 5 SECONDS)", "rows added up once a slot"),
        ("SUM(v) OVER ()", "one running total"),
    ],
)
def test_explain_names_the_way(session: Any, window: str, way: str) -> None:
    plan = session.sql(f"EXPLAIN SELECT {window} FROM s").collect()[0][0]
    assert f"by {way}](s)" in plan


@pytest.mark.parametrize(
    ("written", "same"),
    [
        (
            "SELECT v FROM s QUALIFY v > AVG(v) OVER (PARTITION BY k)",
            "SELECT v FROM (SELECT v, AVG(v) OVER (PARTITION BY k) AS a FROM s) WHERE v > a",
        ),
        (
            "FROM s |> WHERE v > 1 |> EXTEND COUNT(*) OVER () AS c",
            "SELECT *, COUNT(*) OVER () AS c FROM s WHERE v > 1",
        ),
        ("FROM s |> SELECT v |> EXTEND COUNT(*) OVER () AS c", "SELECT v, COUNT(*) OVER () AS c FROM s"),
        (
            "FROM s |> SELECT v + 1 AS w, k |> WHERE w > 2 |> EXTEND SUM(w) OVER (PARTITION BY k) AS c",
            "SELECT v + 1 AS w, k, SUM(v + 1) OVER (PARTITION BY k) AS c FROM s WHERE v + 1 > 2",
        ),
        (
            "SELECT k, COUNT(*) OVER (PARTITION BY k) AS c FROM counts",
            "SELECT k, COUNT(*) OVER (PARTITION BY k) AS c FROM (SELECT k, COUNT(*) AS n FROM s [Rows 3] GROUP BY k)",
        ),
    ],
)
def test_the_order_of_a_stream_is_known_through_pipes_and_views(
    session: Any, written: str, same: str
) -> None:
    session.sql(
        "CREATE OR REPLACE TEMPORARY VIEW counts AS SELECT k, COUNT(*) AS n FROM s [Rows 3] GROUP BY k"
    )
    assert rows(session, written) == rows(session, same)


def test_the_frame_of_a_condition_ends_at_the_tuple(session: Any) -> None:
    assert rows(session, "SELECT v FROM s QUALIFY COUNT(*) OVER (PARTITION BY k) = 2") == [(3,)]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        session.sql("SELECT v FROM s QUALIFY SUM(v) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) > 3")
    assert error_class_of(caught.value) == "CSQL_OVER_FRAME"
