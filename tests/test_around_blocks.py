"""Pipes, hints and operators of Spark's around and inside of blocks: the same answers as without them, or a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.batch import error_class_of


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.sql(
        "CREATE TEMPORARY STREAM s ORDER BY ts AS "
        "SELECT id, id % 3 AS k, id * 7 % 11 AS v, timestamp_seconds(id) AS ts FROM range(1, 40)"
    )
    own.sql("CREATE TEMPORARY VIEW t AS SELECT id AS k, id * 2 AS x FROM range(3)")
    return own


def answer(session: Any, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(query).collect()]


def test_a_window_inside_of_lateral_is_refused(session: Any) -> None:
    for condition in ("", " WHERE s.k = t.k"):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
            session.sql(f"SELECT t.k, n FROM t, LATERAL (SELECT COUNT(*) AS n FROM s [Rows 2]{condition})")
        assert error_class_of(caught.value) == "CSQL_NOT_SUPPORTED_YET"


LARGEST = "SELECT max(n) FROM (SELECT COUNT(*) AS n FROM s [Rows 5])"


def test_a_query_without_from_looks_at_whole_answers(session: Any) -> None:
    assert answer(session, f"SELECT ({LARGEST}) AS n, 1 AS one") == [(5, 1)]
    assert answer(session, f"SELECT 1 WHERE EXISTS ({LARGEST} HAVING max(n) = 5)") == [(1,)]
    assert answer(session, f"SELECT 1 WHERE 4 IN ({LARGEST})") == []
    assert answer(session, "SELECT 1 WHERE 4 IN (SELECT COUNT(*) FROM s [Rows 5])") == [(1,)]


def test_variables_conditions_and_functions_look_at_whole_answers(session: Any) -> None:
    session.sql("DECLARE OR REPLACE VARIABLE largest BIGINT")
    for assigned in ("largest", "(largest)"):
        session.sql("SET VAR largest = 0")
        session.sql(f"SET VAR {assigned} = ({LARGEST})")
        assert answer(session, "SELECT largest") == [(5,)]
    script = f"BEGIN IF ({LARGEST}) = 5 THEN SELECT 'all'; ELSE SELECT 'one'; END IF; END"
    assert answer(session, script) == [("all",)]
    session.sql(f"CREATE TEMPORARY FUNCTION largest() RETURNS BIGINT RETURN ({LARGEST})")
    assert answer(session, "SELECT largest() + 1") == [(6,)]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            "FROM s [Range 9 Seconds] |> WHERE k = 1 |> AGGREGATE COUNT(*) AS n GROUP BY k",
            "SELECT k, COUNT(*) AS n FROM s [Range 9 Seconds] WHERE k = 1 GROUP BY k",
        ),
        (
            "FROM s [Rows 5] |> WHERE v > 3 |> WHERE k < 2 |> SELECT id",
            "SELECT id FROM s [Rows 5] WHERE v > 3 AND k < 2",
        ),
        (
            "FROM s |> WHERE v > 3 |> SELECT id [Frequency 4 Tuples]",
            "SELECT id [Frequency 4 Tuples] FROM s WHERE v > 3",
        ),
        (
            "FROM s [Rows 3] |> WHERE k = 1 |> SELECT ISTREAM(id, v)",
            "SELECT ISTREAM(id, v) FROM s [Rows 3] WHERE k = 1",
        ),
        (
            "FROM s [Rows 9, Frequency 10 Tuples] |> AGGREGATE SUM(v) AS n GROUP BY k |> ORDER BY n DESC |> LIMIT 1",
            "SELECT * FROM (SELECT k, SUM(v) AS n FROM s [Rows 9, Frequency 10 Tuples] GROUP BY k) "
            "ORDER BY n DESC LIMIT 1",
        ),
        (
            "FROM s [Rows 9, Frequency 10 Tuples] |> AGGREGATE SUM(v) AS n GROUP BY k |> WHERE n > 20",
            "SELECT k, SUM(v) AS n FROM s [Rows 9, Frequency 10 Tuples] GROUP BY k HAVING n > 20",
        ),
        (
            "SELECT /*+ COALESCE(1) */ id, v FROM s [Rows 9, Frequency 10 Tuples] ORDER BY v DESC, id LIMIT 2",
            "SELECT id, v FROM s [Rows 9, Frequency 10 Tuples] ORDER BY v DESC, id LIMIT 2",
        ),
        (
            "SELECT /*+ REPARTITION(2) */ RSTREAM(id, v) FROM s [Rows 3, Frequency 10 Tuples] ORDER BY v LIMIT 1",
            "SELECT RSTREAM(id, v) FROM s [Rows 3, Frequency 10 Tuples] ORDER BY v LIMIT 1",
        ),
        (
            "SELECT q.id FROM (SELECT /*+ REPARTITION(2) */ id FROM s [Rows 3]) q WHERE q.id < 9 ORDER BY id",
            "SELECT id FROM s [Rows 3] WHERE id < 9",
        ),
    ],
)
def test_as_without_them(session: Any, written: str, plain: str) -> None:
    expected = answer(session, plain)
    assert expected
    assert answer(session, written) == expected


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            "SELECT j.k, COUNT(*) FROM (s [Rows 2] JOIN t USING (k)) AS j GROUP BY j.k",
            "SELECT s.k, COUNT(*) FROM s [Rows 2] JOIN t ON s.k = t.k GROUP BY s.k",
        ),
        (
            "SELECT a, COUNT(*) FROM (s [Rows 2] JOIN t ON s.k = t.k) AS j(i, a, b, c, d, e) GROUP BY a",
            "SELECT s.k, COUNT(*) FROM s [Rows 2] JOIN t ON s.k = t.k GROUP BY s.k",
        ),
        (
            "SELECT a, COUNT(*) FROM (s [Rows 2]) AS j(i, a, b, c) GROUP BY a",
            "SELECT k, COUNT(*) FROM s [Rows 2] GROUP BY k",
        ),
        (
            "SELECT i.k, COUNT(*) FROM ((s [Rows 2] JOIN t USING (k)) AS j JOIN t AS u USING (k)) AS i GROUP BY i.k",
            "SELECT s.k, COUNT(*) FROM s [Rows 2] JOIN t ON s.k = t.k JOIN t AS u ON s.k = u.k GROUP BY s.k",
        ),
        (
            "SELECT id, x FROM (s [Rows 5, Frequency 4 Tuples] JOIN t USING (k)) AS j ORDER BY v DESC, id LIMIT 2",
            "SELECT id, x FROM s [Rows 5, Frequency 4 Tuples] JOIN t ON s.k = t.k ORDER BY v DESC, id LIMIT 2",
        ),
        (
            "SELECT evaluation_time(), j.k FROM (s [Rows 2] JOIN t USING (k)) AS j",
            "SELECT ts, k FROM s [Rows 2]",
        ),
        (
            "SELECT ISTREAM(j.k, x) FROM (s [Rows 2] JOIN t USING (k)) AS j",
            "SELECT ISTREAM(s.k, x) FROM s [Rows 2] JOIN t ON s.k = t.k",
        ),
        (
            "SELECT j.k, COUNT(*) FROM (s [Rows 2] AS a JOIN s AS b USING (k)) AS j GROUP BY j.k",
            "SELECT a.k, COUNT(*) FROM s [Rows 2] AS a JOIN s AS b ON a.k = b.k GROUP BY a.k",
        ),
        (
            "SELECT j.k, COUNT(*) FROM (s [Rows 2] AS a JOIN s [Rows 3] AS b USING (k)) AS j GROUP BY j.k",
            "SELECT a.k, COUNT(*) FROM s [Rows 2] AS a JOIN s [Rows 3] AS b ON a.k = b.k GROUP BY a.k",
        ),
    ],
)
def test_an_alias_of_joined_items_makes_no_query_of_them(session: Any, written: str, plain: str) -> None:
    expected = answer(session, plain)
    assert expected
    assert answer(session, written) == expected


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT x FROM s [Rows 4] JOIN t USING (k)",
        "SELECT DISTINCT x FROM s [Rows 4] NATURAL JOIN t",
        "SELECT DISTINCT x FROM (s [Rows 4] JOIN t USING (k)) AS j",
        "SELECT DISTINCT 2 * k AS x FROM s [Rows 4] LEFT SEMI JOIN t USING (k)",
        "SELECT DISTINCT twice(k) AS x FROM s [Rows 4]",
        "SELECT DISTINCT k AS a, a * 2 AS x FROM s [Rows 4]",
        "FROM s [Rows 4] |> EXTEND k * 2 AS x |> SELECT DISTINCT x",
    ],
)
def test_distinct_compares_the_list_whatever_is_computed_before_it(session: Any, query: str) -> None:
    session.sql("CREATE OR REPLACE TEMPORARY FUNCTION twice(a BIGINT) RETURNS BIGINT RETURN a * 2")
    assert [row[-1] for row in answer(session, query)] == [2, 4, 0]
    # each of the three values comes again when the window has just forgotten it
    smaller = query.replace("[Rows 4]", "[Rows 3]")
    assert [row[-1] for row in answer(session, smaller)] == [n % 3 * 2 for n in range(1, 40)]


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("FROM s [Rows 5] |> TABLESAMPLE (50 PERCENT) |> AGGREGATE COUNT(*)", "CSQL_CLAUSE_MISPLACED"),
        ("SELECT COUNT(*) FROM (s [Rows 5]) TABLESAMPLE (50 PERCENT)", "CSQL_CLAUSE_MISPLACED"),
        (
            "SELECT * FROM t JOIN s [Rows 5] EXACT NEAREST 1 BY DISTANCE abs(t.x - s.v)",
            "CSQL_CLAUSE_MISPLACED",
        ),
        ("SELECT COUNT(*) FROM (s [Rows 100]) [Frequency 10 Tuples]", "CSQL_CLAUSE_DOUBLED"),
        ("SELECT COUNT(*) FROM ((s AS a [Rows 100])) AS b [Frequency 10 Tuples]", "CSQL_CLAUSE_DOUBLED"),
    ],
)
def test_refused(session: Any, query: str, condition: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        session.sql(query).collect()
    assert error_class_of(caught.value) == condition


@pytest.mark.parametrize(
    "query",
    [
        "SELECT row active FROM (SELECT 1 AS row), s [Rows 3]",
        "SELECT preceding slide FROM (SELECT 1 AS preceding), s [Rows 3]",
        "SELECT COUNT(*) AS n FROM s AS window [Rows 3]",
        "SELECT COUNT(*) AS n FROM s AS offset [Now]",
    ],
)
def test_keywords_are_names_too(session: Any, query: str) -> None:
    assert len(answer(session, query)) == 39


def test_a_setting_may_look_like_a_clause(session: Any) -> None:
    session.sql("SET my.key = [Rows ?]")
    assert session.conf.get("my.key") == "[Rows ?]"
