"""Values, times and rows that queries rarely meet: answered by the definition, or refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of

TICKS = "[Range 10 Seconds, Frequency 10 Seconds]"


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.conf.set("spark.csql.notices", "false")
    own.sql(
        "CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, map('v', v) AS m, timestamp_seconds(t) AS ts "
        "FROM VALUES (1, 1), (2, 2), (3, 11) AS (v, t)"
    )
    own.sql("CREATE TEMPORARY VIEW one AS SELECT 'only' AS name")
    return own


def answer(session: Any, query: str) -> list[Any]:
    return [row[0] for row in session.sql(query).collect()]


def refused(session: Any, query: str) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        session.sql(query).collect()
    return error_class_of(caught.value)


@pytest.mark.parametrize(
    ("query", "values"),
    [
        (f"(SELECT v FROM s {TICKS} ORDER BY v DESC LIMIT 2) LIMIT 1", [2]),
        (f"(SELECT v FROM s {TICKS} ORDER BY v DESC LIMIT 2) ORDER BY v LIMIT 1", [1]),
        (f"(SELECT v FROM s {TICKS}) ORDER BY v DESC LIMIT 1", [3]),
        (f"SELECT v FROM s {TICKS} ORDER BY v DESC LIMIT 1", [2, 3]),
    ],
)
def test_what_stands_behind_parentheses_looks_at_the_whole_answer(
    session: Any, query: str, values: list[int]
) -> None:
    assert answer(session, query) == values


@pytest.mark.parametrize(
    ("query", "values"),
    [
        (
            "SELECT x [Frequency 10 Seconds] FROM s [Rows 1] LATERAL VIEW explode(array(1, 2, 3)) e AS x",
            [3, 3],
        ),
        (
            "SELECT COUNT(*) FROM (SELECT x FROM s [Rows 1] LATERAL VIEW explode(array(1, 2)) e AS x) y [Rows 9] "
            "CROSS JOIN one",
            [1, 2, 3, 4, 5, 6],
        ),
        (
            "SELECT SUM(x) FROM (SELECT x FROM s [Rows 1], LATERAL (SELECT explode(array(v, -v)) AS x)) y [Rows 1]",
            [1, -1, 2, -2, 3, -3],
        ),
    ],
)
def test_rows_that_one_tuple_becomes_are_tuples(session: Any, query: str, values: list[int]) -> None:
    assert answer(session, query) == values


@pytest.mark.parametrize(
    "query",
    [
        "SELECT MAX(evaluation_time()) FROM s [Rows 5]",
        "SELECT COUNT(*) FILTER (WHERE ts > evaluation_time() - INTERVAL 1 SECOND) FROM s [Rows 5]",
        "SELECT DISTINCT v * 100 + second(evaluation_time()) FROM s [Rows 9]",
        "SELECT COUNT(*) OVER (PARTITION BY evaluation_time()) FROM s",
        "SELECT SUM(second(evaluation_time())) OVER (ROWS 1 PRECEDING) FROM s",
    ],
)
def test_the_time_of_an_answer_has_no_value_before_it(session: Any, query: str) -> None:
    assert refused(session, query) == "CSQL_EVALUATION_TIME"


@pytest.mark.parametrize(
    "query",
    ["SELECT m, COUNT(*) FROM s [Rows 5] GROUP BY m", "SELECT COUNT(*) FROM s [Partition By m Rows 5]"],
)
def test_maps_are_no_keys(session: Any, query: str) -> None:
    assert refused(session, query) == "CSQL_NOT_SUPPORTED_YET"


def test_what_no_window_holds_does_not_overflow(session: Any) -> None:
    session.sql(
        "CREATE TEMPORARY STREAM large ORDER BY ts AS SELECT v, timestamp_seconds(t) AS ts "
        "FROM VALUES (9223372036854775807, 1), (1L, 11) AS (v, t)"
    )
    assert answer(session, f"SELECT SUM(v) FROM large {TICKS}") == [9223372036854775807, 1]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT v FROM sensor [Range 1 Minute] ORDER BY v",
        "SELECT COUNT(*) FROM (SELECT v FROM sensor [Rows 3]) x",
        "SELECT v FROM sensor [Rows 3]",
        f"SELECT COUNT(*) FROM sensor {TICKS}",
    ],
)
def test_a_missing_time_is_a_fault(session: Any, query: str) -> None:
    session.sql(
        "CREATE OR REPLACE TEMPORARY STREAM sensor ORDER BY ts AS SELECT v, timestamp_seconds(t) AS ts "
        "FROM VALUES (1, 1), (2, NULL), (3, 5) AS (v, t)"
    )
    assert refused(session, query) == "CSQL_NULL_TIME"


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("SELECT v FROM (SELECT * FROM faulty WHERE ts IS NOT NULL) [Rows 2]", [1, 3]),
        (
            "SELECT v FROM (SELECT v, t FROM (SELECT v, ts AS t FROM faulty) WHERE t IS NOT NULL) [Rows 2]",
            [1, 3],
        ),
        ("SELECT SUM(v) FROM (SELECT * FROM faulty WHERE v < 3 AND ts IS NOT NULL) [Range 9 Seconds]", [1]),
    ],
)
def test_what_is_filtered_out_before_the_window_needs_no_time(
    session: Any, query: str, values: list[int]
) -> None:
    session.sql(
        "CREATE OR REPLACE TEMPORARY STREAM faulty ORDER BY ts AS SELECT v, timestamp_seconds(t) AS ts "
        "FROM VALUES (1, 1), (2, NULL), (3, 5) AS (v, t)"
    )
    assert answer(session, query) == values
    assert refused(session, "SELECT v FROM (SELECT * FROM faulty WHERE v > 1) [Rows 2]") == "CSQL_NULL_TIME"


@pytest.mark.parametrize(
    "query", [f"SELECT v FROM s {TICKS} ORDER BY v", "SELECT RSTREAM(v) FROM s [Rows 2] ORDER BY v"]
)
@pytest.mark.parametrize(
    ("limit", "condition"),
    [
        ("LIMIT -1", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE"),
        ("LIMIT CAST(NULL AS INT)", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL"),
        ("LIMIT '2'", "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE"),
        ("LIMIT 2.5", "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE"),
        ("LIMIT 1 OFFSET -1", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE"),
        ("LIMIT 2147483647 OFFSET 5", "SUM_OF_LIMIT_AND_OFFSET_EXCEEDS_MAX_INT"),
    ],
)
def test_a_limit_of_each_evaluation_is_checked_as_any_other(
    session: Any, query: str, limit: str, condition: str
) -> None:
    assert refused(session, f"{query} {limit}") == condition


@pytest.mark.parametrize(
    ("query", "values"),
    [
        (f"SELECT COUNT(*) FROM (SELECT v FROM s {TICKS} ORDER BY rand() LIMIT 1)", [2]),
        (f"SELECT v FROM s {TICKS} ORDER BY v * -1 LIMIT 1", [2, 3]),
        (f"SELECT v FROM s {TICKS} ORDER BY 10 - v LIMIT 1 OFFSET 1", [1]),
    ],
)
def test_the_first_of_each_evaluation_may_be_told_by_any_expression(
    session: Any, query: str, values: list[int]
) -> None:
    assert answer(session, query) == values


def test_lines_that_are_left_out_are_not_counted(session: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,2026-01-01 00:00:01\nx,2026-01-01 00:00:02\n2,2026-01-01 00:00:03\n")
    (tmp_path / "b.csv").write_text("3,2026-01-01 00:00:04\n4,2026-01-01 00:00:05\n")
    lines = session.read.schema("v INT, ts TIMESTAMP").option("mode", "DROPMALFORMED").csv(str(tmp_path))
    lines.createOrReplaceTempView("lines")
    session.sql("CREATE TEMPORARY STREAM numbered_lines ORDER BY ts AS SELECT * FROM lines")
    assert answer(session, "SELECT v FROM numbered_lines [Frequency 2 Tuples]") == [2, 4]


def test_what_breaks_ties_may_be_missing(session: Any, tmp_path: Path) -> None:
    values = session.sql("SELECT * FROM VALUES (-5L), (NULL), (3L) AS (k)")
    values.coalesce(1).write.parquet(str(tmp_path / "ties"))
    session.read.parquet(str(tmp_path / "ties")).createOrReplaceTempView("ties")
    session.sql("CREATE TEMPORARY STREAM tied ORDER BY current_time, k AS SELECT * FROM ties")
    assert answer(session, "SELECT k FROM tied [Frequency 2 Tuples]") == [-5]


def test_windows_that_begin_before_time_does(session: Any) -> None:
    session.sql(
        "CREATE TEMPORARY STREAM early ORDER BY t AS "
        "SELECT t FROM VALUES (-9223372036854775807L - 1), (-9223372036854775803L) AS (t)"
    )
    assert answer(session, "SELECT COUNT(*) FROM early [Range 10]") == [1, 2]
    assert answer(session, "SELECT COUNT(*) FROM early [Range 3]") == [1, 1]


def test_groups_by_what_is_drawn(session: Any) -> None:
    counts = answer(session, f"SELECT COUNT(*) FROM s {TICKS} GROUP BY CAST(rand() * 2 AS INT)")
    assert sum(counts) == sum(answer(session, f"SELECT COUNT(*) FROM s {TICKS}"))


def test_a_column_that_a_subquery_has_twice(session: Any) -> None:
    twice = "(SELECT v, v FROM s [Rows 1]) a [Rows 9]"
    assert answer(session, f"SELECT a.v FROM {twice} JOIN s [Rows 9] b ON a.v = b.v") == [1, 2, 3]


def test_a_window_in_a_subquery_of_a_with_query(session: Any) -> None:
    inner = "SELECT x FROM VALUES (1), (2), (3) AS (x) WHERE x IN (SELECT v FROM s [Rows 1])"
    outer = "SELECT ISTREAM(c.x) FROM {} c JOIN s [Rows 9] b ON c.x = b.v"
    written = answer(session, outer.format(f"({inner})"))
    assert answer(session, f"WITH c AS ({inner}) {outer.format('c')}") == written != []


def test_the_time_of_an_inner_answer_below_a_frequency(session: Any) -> None:
    session.sql(
        "CREATE TEMPORARY STREAM days ORDER BY day AS SELECT date_from_unix_date(d) AS day, d FROM VALUES (1), (2) AS (d)"
    )
    latest = "SELECT max(t) AS m FROM (SELECT evaluation_time() AS t FROM s [Rows 1])"
    query = f"SELECT m [Frequency 2 Tuples] FROM days [Rows 3] CROSS JOIN ({latest})"
    assert answer(session, query) == answer(session, latest)


def test_the_last_instant_that_there_is(session: Any) -> None:
    session.sql(
        "CREATE OR REPLACE TEMPORARY STREAM last_one ORDER BY t AS "
        "SELECT * FROM VALUES (1, 0L), (2, 9223372036854775807L) AS (v, t)"
    )
    assert answer(session, "SELECT ISTREAM(v) FROM last_one [Rows 1]") == [1, 2]
    assert answer(session, "SELECT RSTREAM(v) FROM last_one [Rows 5]") == [1, 1, 2]
