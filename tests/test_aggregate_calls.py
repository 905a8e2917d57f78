"""What a call of an aggregate means, whatever stands around it: settings, names, databases, other versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.batch import position_of
from tests.test_aggregates import refused, rows, session_with_rows

NEW = "CREATE OR REPLACE TEMPORARY"
LAST = "{ ITERATE: {} TERMINATE: { INSERT INTO RETURN VALUES (x) } }"


def body(iterate: str) -> str:
    return f"{{ ITERATE: {{ {iterate} }} }}"


@pytest.fixture
def session(spark: Any) -> Any:
    own = session_with_rows(spark)
    own.sql(
        f"{NEW} AGGREGATE above(n INT, least INT) : INT {body('INSERT INTO RETURN VALUES (n) WHERE n > least')}"
    )
    return own


def test_a_body_means_what_the_settings_say(session: Any) -> None:
    session.sql(f"{NEW} AGGREGATE hour_of(t TIMESTAMP) : INT {body('INSERT INTO RETURN VALUES (hour(t))')}")
    call = "SELECT hour_of(t) AS h FROM VALUES (TIMESTAMP '2026-01-01 00:00:00Z') AS x(t)"
    for zone, expected in [("UTC", 0), ("Asia/Tokyo", 9), ("UTC", 0)]:
        session.sql(f"SET TIME ZONE '{zone}'")
        assert rows(session, call) == [(expected,)]


def test_a_body_divides_as_the_settings_say(session: Any) -> None:
    session.sql(f"{NEW} AGGREGATE inverse(n INT) : DOUBLE {body('INSERT INTO RETURN VALUES (1 / n)')}")
    call = "SELECT inverse(v - 1) AS i FROM s WHERE v = 1"
    assert refused(session, call)[0] == "CSQL_AGGREGATE_FAILED"
    session.sql("SET spark.sql.ansi.enabled = false")
    assert rows(session, call) == [(None,)]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("above(n => v, least => 2)", [3, 4]),
        ("above(least => 2, n => v)", [3, 4]),
        ("above(v, LEAST => 3)", [4]),
        ("above(least => 3, n => v) OVER (ROWS 1 PRECEDING)", [4]),
    ],
)
def test_arguments_with_names(session: Any, call: str, expected: list[int]) -> None:
    assert [row[0] for row in rows(session, f"SELECT {call} AS r FROM s")] == expected


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("above(v, zzz => 2)", "CSQL_AGGREGATE_CALL"),
        ("above(v, n => 2)", "CSQL_AGGREGATE_CALL"),
        ("above(n => v, n => 2)", "CSQL_AGGREGATE_CALL"),
        ("above(n => v, 2)", "CSQL_AGGREGATE_CALL"),
        ("above(n => v)", "CSQL_AGGREGATE_TYPE"),
    ],
)
def test_names_that_are_no_arguments(session: Any, call: str, condition: str) -> None:
    sql = f"SELECT {call} AS r FROM s"
    told, error = refused(session, sql)
    assert told == condition, error
    assert position_of(error) == (1, sql.index("above") + 1), error


@pytest.fixture
def stored(spark: Any) -> Iterator[Any]:
    """A session whose stored aggregates are dropped in the end, and a second database, d2."""
    own = session_with_rows(spark)
    own.sql("CREATE DATABASE d2")
    yield own
    own.sql("USE default")
    for name in own.sql("SHOW AGGREGATES").collect():
        own.sql(f"DROP AGGREGATE IF EXISTS {name[1]}")
    own.sql("DROP VIEW IF EXISTS of_g")
    own.sql("USE d2")
    for name in own.sql("SHOW AGGREGATES").collect():
        own.sql(f"DROP AGGREGATE IF EXISTS {name[1]}")
    own.sql("DROP DATABASE d2 CASCADE")
    own.sql("USE default")


def test_a_temporary_version_is_not_paired_with_a_stored_one_of_other_types(stored: Any) -> None:
    stored.sql(f"CREATE WINDOW AGGREGATE f(x INT) : INT {body('INSERT INTO RETURN VALUES (x)')}")
    stored.sql(f"CREATE TEMPORARY AGGREGATE f(x STRING) : STRING {LAST}")
    assert rows(stored, "SELECT f(k) OVER (ROWS 1 PRECEDING) AS r FROM s") == [("a",), ("b",), ("a",), ("a",)]
    assert rows(stored, "SELECT f(k) AS r FROM s") == [("a",)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT avg(a) FROM (SELECT v AS a FROM s [Rows 3]) q", [2.5]),
        (
            "SELECT avg(a) AS m FROM (SELECT v AS a FROM s [Rows 3]) q HAVING avg(a) > 2 ORDER BY avg(a)",
            [2.5],
        ),
        ("SELECT avg(v) AS m FROM s [Rows 3] AS t", [-1.0, -2.0, -3.0, -4.0]),
        ("SELECT avg(a) AS m FROM (SELECT v AS a FROM s) [Rows 3] AS q", [-1.0, -2.0, -3.0, -4.0]),
        ("SELECT avg(v) AS m FROM s [Rows 3] HAVING avg(v) > -3", [-1.0, -2.0]),
    ],
)
def test_a_window_version_leaves_plain_sql_to_the_function(
    session: Any, sql: str, expected: list[float]
) -> None:
    session.sql(f"{NEW} WINDOW AGGREGATE avg(x INT) : DOUBLE {body('INSERT INTO RETURN VALUES (-x)')}")
    assert [row[0] for row in rows(session, sql)] == expected


def test_names_are_those_of_the_database_of_their_text(stored: Any) -> None:
    stored.sql(f"CREATE AGGREGATE g(x INT) : INT {LAST}")
    stored.sql(
        "CREATE AGGREGATE through(x INT) : INT { TABLE t(a INT); ITERATE: { INSERT INTO t VALUES (x) }"
        " TERMINATE: { INSERT INTO RETURN SELECT g(a) FROM t } }"
    )
    stored.sql("CREATE VIEW of_g AS SELECT g(x) AS r FROM VALUES (1), (2) AS t(x)")
    stored.sql("USE d2")
    assert rows(stored, "SELECT r FROM default.of_g") == [(2,)]
    assert rows(stored, "SELECT default.through(x) FROM VALUES (1), (3) AS t(x)") == [(3,)]
    stored.sql(
        "CREATE AGGREGATE g(x INT) : INT { ITERATE: {} TERMINATE: { INSERT INTO RETURN VALUES (-x) } }"
    )
    assert rows(stored, "SELECT g(x) FROM VALUES (1), (3) AS t(x)") == [(-3,)]
    assert rows(stored, "SELECT r FROM default.of_g") == [(2,)]
    assert rows(stored, "SELECT default.through(x) FROM VALUES (1), (3) AS t(x)") == [(3,)]


def test_what_is_stored_does_not_call_what_is_temporary(stored: Any) -> None:
    stored.sql(f"CREATE TEMPORARY AGGREGATE g(x INT) : INT {LAST}")
    text = "AGGREGATE through(x INT) : INT { TABLE t(a INT); ITERATE: { INSERT INTO RETURN SELECT g(a) FROM t } }"
    told, error = refused(stored, f"CREATE {text}")
    assert told == "CSQL_AGGREGATE_TEMPORARY", error
    assert position_of(error) == (1, f"CREATE {text}".index("g(a)") + 1), error
    stored.sql(f"CREATE TEMPORARY {text}")


def test_what_is_stored_stays_itself_beside_what_is_temporary(stored: Any) -> None:
    stored.sql(f"CREATE AGGREGATE g(x INT) : INT {LAST}")
    stored.sql(
        "CREATE AGGREGATE through(x INT) : INT { TABLE t(a INT); ITERATE: { INSERT INTO t VALUES (x) }"
        " TERMINATE: { INSERT INTO RETURN SELECT g(a) FROM t } }"
    )
    stored.sql(
        "CREATE TEMPORARY AGGREGATE g(x INT) : INT { ITERATE: {} TERMINATE: { INSERT INTO RETURN VALUES (0) } }"
    )
    assert rows(stored, "SELECT through(x), g(x) FROM VALUES (1), (3) AS t(x)") == [(3, 0)]


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("current_timestamp()", "current_timestamp"),
        ("current_timestamp", "current_timestamp"),
        ("now()", "now"),
        ("current_date()", "current_date"),
        ("current_user()", "current_user"),
        ("x || current_database()", "current_database"),
        ("in_python(x)", "in_python"),
        ("(SELECT max(in_python(a)) FROM t)", "in_python"),
        ("(SELECT in_pandas(a) FROM t)", "in_pandas"),
        ("own_variable", "own_variable"),
    ],
)
def test_what_a_body_cannot_know(session: Any, value: str, at: str) -> None:
    from pyspark.sql.functions import pandas_udf

    session.udf.register("in_python", lambda x: x, "string")
    session.udf.register("in_pandas", pandas_udf(lambda x: x.max(), "string", functionType=202))
    session.sql("DECLARE OR REPLACE VARIABLE own_variable STRING DEFAULT 'a'")
    sql = f"{NEW} AGGREGATE f(x STRING) : STRING {{ TABLE t(a STRING); ITERATE: {{ INSERT INTO RETURN SELECT CAST({value} AS STRING) FROM t }} }}"
    told, error = refused(session, sql)
    assert told == "CSQL_AGGREGATE_STATEMENT", error
    assert position_of(error) == (1, sql.index(at) + 1), error


def test_an_argument_may_be_the_time(session: Any) -> None:
    session.sql(f"{NEW} AGGREGATE year_of(t TIMESTAMP) : INT {body('INSERT INTO RETURN VALUES (year(t))')}")
    assert rows(session, "SELECT year_of(current_timestamp()) > 2000 AS r FROM s WHERE v = 1") == [(True,)]


@pytest.mark.parametrize(
    ("sql", "condition", "at"),
    [
        ("CREATE TEMPORARY AGGREGATE default.f(x INT) : INT { ITERATE: {} }", "CSQL_STATEMENT_SYNTAX", "default"),
        ("CREATE TEMPORARY AGGREGATE f(x INT, X INT) : INT { ITERATE: {} }", "CSQL_CLAUSE_DOUBLED", "x INT"),
        ("CREATE TEMPORARY AGGREGATE f(x INT) : (a INT, a INT) { ITERATE: {} }", "CSQL_CLAUSE_DOUBLED", "a INT"),
        ("CREATE TEMPORARY AGGREGATE f(x INT) : INT { TABLE t(a INT, a INT); ITERATE: {} }", "CSQL_CLAUSE_DOUBLED", "a INT"),
    ],
)  # fmt: skip
def test_declarations_that_are_refused(session: Any, sql: str, condition: str, at: str) -> None:
    told, error = refused(session, sql)
    assert told == condition, error
    assert position_of(error) == (1, sql.index(at) + 1), error


def test_an_order_by_an_expression_is_told_as_it_was_written(session: Any) -> None:
    told, error = refused(
        session, "SELECT SUM(v) OVER (ORDER BY date_trunc('DAY', ts) ROWS 1 PRECEDING SLIDE 2) FROM s"
    )
    assert told == "CSQL_OVER_ORDER"
    assert "date_trunc('DAY', s.ts) is no column of the stream" in str(error)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT total(v) AS a FROM rows_of_s WHERE v <= (SELECT total(v) FROM rows_of_s)", [(10,)]),
        ("SELECT total(v) - (SELECT total(v) FROM rows_of_s WHERE v > 1) AS a FROM rows_of_s", [(1,)]),
        ("SELECT v FROM s [Now] WHERE v > (SELECT total(v) FROM rows_of_s WHERE v < 3)", [(4,)]),
        ("SELECT v FROM s [Now] WHERE v IN (SELECT total(v) FROM rows_of_s WHERE v < 3)", [(3,)]),
        ("SELECT v [Frequency 2 Tuples] FROM s WHERE v < (SELECT total(v) FROM rows_of_s)", [(2,), (4,)]),
        (
            "SELECT v FROM s [Now] WHERE v IN (SELECT SUM(v) OVER (ORDER BY ts ROWS 1 PRECEDING SLIDE 2) FROM rows_of_s)",
            [(3,)],
        ),
    ],
)
def test_a_subquery_over_a_table_is_a_table(session: Any, query: str, expected: list[tuple[int]]) -> None:
    session.sql(
        f"{NEW} AGGREGATE total(x INT) : INT {{ TABLE t(a INT); INITIALIZE: {{ INSERT INTO t VALUES (x) }} "
        "ITERATE: { UPDATE t SET a = a + x } TERMINATE: { INSERT INTO RETURN SELECT a FROM t } }"
    )
    assert rows(session, query) == expected
