"""Aggregates written in SQL: the statements about them, what is refused and where, and how calls run."""

from __future__ import annotations

import datetime as dt
import importlib
from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of, position_of

EXAMPLES = sorted((Path(__file__).parent.parent / "examples/aggregates").glob("*.sql"))
ROWS = [
    (k, v, dt.datetime(2026, 1, 1, 0, 0, s))
    for k, v, s in [("a", 1, 1), ("b", 2, 2), ("a", 3, 3), ("a", 4, 7)]
]

MEAN = """
CREATE OR REPLACE TEMPORARY AGGREGATE my_mean(x DOUBLE) : DOUBLE {
  TABLE state(s DOUBLE, n INT);
  INITIALIZE: { INSERT INTO state VALUES (x, 1) }
  ITERATE: { UPDATE state SET s = s + x, n = n + 1 }
  TERMINATE: { INSERT INTO RETURN SELECT s / n FROM state }
}"""
RUNNING = """
CREATE OR REPLACE TEMPORARY AGGREGATE running(x INT) : INT {
  TABLE state(s INT);
  INITIALIZE: { INSERT INTO state VALUES (x); INSERT INTO RETURN VALUES (x) }
  ITERATE: { UPDATE state SET s = s + x; INSERT INTO RETURN SELECT s FROM state }
}"""


def session_with_rows(spark: Any) -> Any:
    """A session of its own, with the stream s."""
    own = spark.newSession()
    frame = own.createDataFrame(ROWS, "k STRING, v INT, ts TIMESTAMP")
    frame.coalesce(1).createOrReplaceTempView("rows_of_s")
    own.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT * FROM rows_of_s")
    return own


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = session_with_rows(spark)
    own.sql(MEAN)
    own.sql(RUNNING)
    return own


def rows(session: Any, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


def refused(session: Any, sql: str) -> tuple[str | None, Any]:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is compared
        session.sql(sql).collect()
    return error_class_of(caught.value), caught.value


CALLS = [
    ("SELECT my_mean(v) FROM s", [(2.5,)]),
    ("SELECT k, my_mean(v), COUNT(*) FROM s GROUP BY k", [("a", 8 / 3, 3), ("b", 2.0, 1)]),
    ("SELECT my_mean(v) * 2 AS m FROM s GROUP BY k HAVING my_mean(v) > 2.1", [(16 / 3,)]),
    ("SELECT my_mean(v) FROM s WHERE v > 9", []),
    ("SELECT (SELECT my_mean(v) FROM s) AS m", [(2.5,)]),
    ("SELECT running(v) AS r FROM s WHERE v > 1", [(2,), (5,), (9,)]),
    ("SELECT k, running(v) AS r FROM s GROUP BY k", [("a", 1), ("b", 2), ("a", 4), ("a", 8)]),
    ("SELECT running(v) + running(v * 10) AS r FROM s", [(11,), (33,), (66,), (110,)]),
    ("SELECT COUNT(*) AS n FROM (SELECT running(v) AS r FROM s) [Rows 2]", [(1,), (2,), (2,), (2,)]),
    ("SELECT my_mean(v) OVER (ORDER BY ts ROWS 1 PRECEDING) AS m FROM rows_of_s", [(1.0,), (1.5,), (2.5,), (3.5,)]),
    ("SELECT my_mean(v) OVER (ORDER BY ts) AS m FROM rows_of_s", [(1.0,), (1.5,), (2.0,), (2.5,)]),
    ("SELECT v, my_mean(v) OVER (ROWS 2 PRECEDING SLIDE 2) AS m, SUM(v) OVER (ROWS 2 PRECEDING SLIDE 2) AS s FROM s",
     [(2, 1.5, 3), (4, 3.0, 9)]),
    ("SELECT my_mean(v) AS m FROM s [Range 2 Seconds]", [(1.0,), (1.5,), (2.5,), (4.0,)]),
    ("SELECT my_mean(v) AS m, MAX(v) AS top FROM s [Range 4 Tuples, Frequency 2 Tuples]", [(1.5, 2), (2.5, 4)]),
    ("SELECT evaluation_time() AS at, k, my_mean(v) AS m FROM s [Range 4 Seconds, Frequency 4 Seconds] GROUP BY k",
     [(dt.datetime(2026, 1, 1, 0, 0, 4), "a", 2.0), (dt.datetime(2026, 1, 1, 0, 0, 4), "b", 2.0),
      (dt.datetime(2026, 1, 1, 0, 0, 8), "a", 4.0)]),
    ("SELECT my_mean(v) AS m FROM s [Range 1 Tuple Partitioned By k]", [(1.0,), (1.5,), (2.5,), (3.0,)]),
]  # fmt: skip
"""Calls of `my_mean` and `running`, and what they give."""


@pytest.mark.parametrize(("sql", "expected"), CALLS)
def test_calls(session: Any, sql: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows(session, sql) == expected


def test_a_view_keeps_a_call(session: Any) -> None:
    session.sql("CREATE OR REPLACE TEMPORARY VIEW means AS SELECT my_mean(v) AS m FROM s")
    assert rows(session, "SELECT m FROM means") == [(2.5,)]


def test_several_rows_and_none(session: Any) -> None:
    session.sql(
        "CREATE OR REPLACE TEMPORARY AGGREGATE seen(x INT) : INT { TABLE t(v INT); ITERATE: {"
        " INSERT INTO t VALUES (x); INSERT INTO RETURN SELECT v FROM t WHERE v % 2 = 1 ORDER BY v DESC } }"
    )
    assert rows(session, "SELECT seen(v) AS r FROM s WHERE v > 1") == [(3,), (3,)]
    assert rows(session, "SELECT v, seen(v) OVER (ROWS 3 PRECEDING) AS r, SUM(v) OVER () AS total FROM s") == [
        (1, 1, 1), (2, 1, 3), (3, 3, 6), (3, 1, 6), (4, 3, 10), (4, 1, 10),
    ]  # fmt: skip
    told, error = refused(session, "SELECT seen(v), seen(v + 2) FROM s WHERE v > 1")
    assert told == "CSQL_AGGREGATE_ROWS", error


def test_statements(session: Any) -> None:
    assert ("", "my_mean", True, "base") in rows(session, "SHOW AGGREGATES")
    assert rows(session, "SHOW AGGREGATES LIKE 'x*'") == []
    described = dict(rows(session, "DESCRIBE AGGREGATE my_mean"))
    assert described["x"] == "DOUBLE"
    assert (described["# Returns"], described["# Blocking"]) == ("DOUBLE", "true")
    assert described["# Base version"].startswith("CREATE AGGREGATE my_mean(x DOUBLE)")
    session.sql("CREATE TEMPORARY AGGREGATE gone(x INT) : INT { ITERATE: { } }")
    session.sql("DROP AGGREGATE gone")
    session.sql("DROP AGGREGATE IF EXISTS gone")
    assert refused(session, "DROP AGGREGATE gone")[0] == "CSQL_AGGREGATE_NOT_FOUND"
    assert refused(session, "DESCRIBE AGGREGATE gone")[0] == "CSQL_AGGREGATE_NOT_FOUND"
    assert refused(session, "SELECT gone(v) FROM s")[0] == "UNRESOLVED_ROUTINE"


def test_a_temporary_aggregate_is_the_sessions_own(spark: Any, session: Any) -> None:
    assert refused(spark.newSession(), "SELECT my_mean(1)")[0] == "UNRESOLVED_ROUTINE"


def test_the_name_of_a_function_comes_back(session: Any) -> None:
    other = session.newSession()
    text = "AGGREGATE sum(x INT) : INT { ITERATE: { } TERMINATE: { INSERT INTO RETURN VALUES (x) } }"
    assert refused(other, f"CREATE TEMPORARY {text}")[0] == "CSQL_AGGREGATE_EXISTS"
    other.sql(f"CREATE OR REPLACE TEMPORARY {text}")
    assert rows(other, "SELECT sum(x) FROM VALUES (1), (2) AS t(x)") == [(2,)]
    other.sql("DROP AGGREGATE sum")
    assert rows(other, "SELECT sum(x) FROM VALUES (1), (2) AS t(x)") == [(3,)]


def test_what_is_not_temporary_is_shared_and_stored(spark: Any) -> None:
    spark.sql(
        "CREATE AGGREGATE kept_mean(x INT) : INT { ITERATE: { } TERMINATE: { INSERT INTO RETURN VALUES (x) } }"
    )
    try:
        assert rows(spark.newSession(), "SELECT kept_mean(x) FROM VALUES (1), (2) AS t(x)") == [(2,)]
        folder = (
            Path(spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")) / "_spark_csql/aggregates"
        )
        assert len(list(folder.glob("default_kept_mean-*.json"))) == 1
        assert (
            refused(spark, "CREATE AGGREGATE kept_mean(x INT) : INT { ITERATE: { } }")[0]
            == "CSQL_AGGREGATE_EXISTS"
        )
    finally:
        spark.sql("DROP AGGREGATE kept_mean")
    assert not list(folder.glob("default_kept_mean-*.json"))


def body(iterate: str, head: str = "AGGREGATE bad(x INT) : INT", rest: str = "") -> str:
    return (
        f"CREATE OR REPLACE TEMPORARY {head} {{ TABLE t(a INT, b STRING); ITERATE: {{ {iterate} }} {rest} }}"
    )


WINDOW = "WINDOW AGGREGATE bad(x INT) : INT"


@pytest.mark.parametrize(
    ("sql", "condition", "at"),
    [
        (body("INSERT INTO inwindow VALUES (x)", WINDOW), "CSQL_AGGREGATE_INWINDOW", "inwindow"),
        (body("UPDATE inwindow SET x = 1", WINDOW), "CSQL_AGGREGATE_INWINDOW", "inwindow"),
        (body("INSERT INTO other VALUES (x)"), "CSQL_AGGREGATE_TABLE", "other"),
        (body("INSERT INTO RETURN SELECT 1 FROM other"), "CSQL_AGGREGATE_TABLE", "other"),
        (body("INSERT INTO RETURN SELECT c FROM t"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "c FROM"),
        (body("INSERT INTO RETURN VALUES (y)"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "y)"),
        (body("UPDATE t SET c = 1"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "c = 1"),
        (body("UPDATE t SET a = 'one'"), "CSQL_AGGREGATE_TYPE", "UPDATE"),
        (body("INSERT INTO t VALUES (1)"), "CSQL_AGGREGATE_TYPE", "INSERT"),
        (body("INSERT INTO RETURN VALUES ('one')"), "CSQL_AGGREGATE_TYPE", "INSERT"),
        (body("DELETE FROM t WHERE a"), "CSQL_AGGREGATE_TYPE", "DELETE"),
        (body("INSERT INTO RETURN SELECT bad(a) FROM t"), "CSQL_AGGREGATE_RECURSION", "bad(a)"),
        (body("INSERT INTO RETURN SELECT nosuch(a) FROM t"), "UNRESOLVED_ROUTINE", "nosuch"),
        (body("SELECT a FROM t"), "CSQL_AGGREGATE_STATEMENT", "SELECT"),
        (body("INSERT INTO RETURN SELECT a FROM t", "AGGREGATE bad(x INT) : INT", "TERMINATE: { INSERT INTO t"
              " SELECT a, b FROM (SELECT a, b, rank() OVER (ORDER BY a) FROM t) }"),
         "CSQL_AGGREGATE_STATEMENT", None),
        (body("", "ALGEBRAIC AGGREGATE bad(x INT) : STRING"), "CSQL_AGGREGATE_ALGEBRAIC", "bad"),
        ("CREATE TEMPORARY AGGREGATE my_mean(x INT) : INT { ITERATE: { } }", "CSQL_AGGREGATE_EXISTS", "my_mean"),
        ("CREATE TEMPORARY WINDOW AGGREGATE my_mean(x INT) : INT { ITERATE: { } }", "CSQL_AGGREGATE_VERSIONS", "my_mean"),
        ("CREATE TEMPORARY AGGREGATE bad(x INT) : INT LANGUAGE PYTHON 'm.C'", "CSQL_AGGREGATE_CLASS", "'m.C'"),
        ("CREATE AGGREGATE bad(x INT) : INT LANGUAGE PYTHON 'm.C'", "CSQL_AGGREGATE_CLASS", "'m.C'"),
        ("CREATE TEMPORARY AGGREGATE bad(x INT) : INT LANGUAGE JVM 'no.Such'", "CSQL_AGGREGATE_CLASS", "'no.Such'"),
        ("CREATE TEMPORARY AGGREGATE bad(x INT) : INT LANGUAGE JVM 'java.lang.String'", "CSQL_AGGREGATE_CLASS",
         "'java"),
        ("SELECT my_mean(DISTINCT v) FROM s", "CSQL_AGGREGATE_CALL", "my_mean"),
        ("SELECT my_mean(v) FILTER (WHERE v > 1) FROM s", "CSQL_AGGREGATE_CALL", "my_mean"),
        ("SELECT my_mean(v, v) FROM s", "CSQL_AGGREGATE_TYPE", "my_mean"),
        ("SELECT my_mean(k) FROM s", "CSQL_AGGREGATE_TYPE", "my_mean"),
        ("SELECT my_mean(k) OVER (ROWS 1 PRECEDING) FROM s", "CSQL_AGGREGATE_TYPE", "my_mean"),
    ],
)  # fmt: skip
def test_refusals(session: Any, sql: str, condition: str, at: str | None) -> None:
    told, error = refused(session, sql)
    assert told == condition, error
    if at is not None:
        assert position_of(error) == (1, sql.index(at) + 1), error


def test_a_failure_tells_where(session: Any) -> None:
    session.sql(
        "CREATE OR REPLACE TEMPORARY AGGREGATE ratio(x INT) : INT { TABLE t(a INT); ITERATE: { INSERT INTO t VALUES (x);"
        " INSERT INTO RETURN SELECT 100 div (x - 2) FROM t WHERE a = x; } }"
    )
    told, error = refused(session, "SELECT ratio(v) FROM s")
    assert told == "CSQL_AGGREGATE_FAILED", error
    for part in ("ratio", "ITERATE", "100 div (x - 2)", "DIVIDE_BY_ZERO"):
        assert part in str(error)


def test_recursion_through_another(session: Any) -> None:
    head = "CREATE OR REPLACE TEMPORARY AGGREGATE"
    session.sql(
        f"{head} inner_one(x INT) : INT {{ ITERATE: {{ }} TERMINATE: {{ INSERT INTO RETURN VALUES (x) }} }}"
    )
    session.sql(
        f"{head} outer_one(x INT) : INT {{ TABLE t(a INT); ITERATE: {{ INSERT INTO t VALUES (x);"
        " INSERT INTO RETURN SELECT inner_one(a) FROM t } }"
    )
    assert rows(session, "SELECT outer_one(v) AS r FROM s") == [(1,), (2,), (3,), (4,)]
    told, error = refused(
        session,
        f"{head} inner_one(x INT) : INT {{ TABLE t(a INT); ITERATE: {{ }}"
        " TERMINATE: { INSERT INTO RETURN SELECT outer_one(a) FROM t } }",
    )
    assert told == "CSQL_AGGREGATE_RECURSION", error


@pytest.mark.parametrize(
    ("over", "told"),
    [
        ("ROWS UNBOUNDED PRECEDING", "the base version, with TERMINATE at each answer"),
        ("ROWS 9 PRECEDING", "the base version over inwindow"),
        ("ROWS 9 PRECEDING SLIDE 28", "the base version, restarted for each window"),
        ("ROWS 9 PRECEDING SLIDE 4", "the base version over inwindow"),
    ],
)
def test_explain_tells_the_dispatch(session: Any, over: str, told: str) -> None:
    plan = rows(session, f"EXPLAIN SELECT my_mean(v) OVER ({over}) FROM s")[0][0]
    assert told in plan


def test_examples_run(spark: Any) -> None:
    session = spark.newSession()
    for file in EXAMPLES:
        session.sql(file.read_text(encoding="utf-8"))
    session.createDataFrame(ROWS, "k STRING, v INT, ts TIMESTAMP").coalesce(1).createOrReplaceTempView("r")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT * FROM r")
    try:
        for call, expected in [
            ("avg(v) OVER (ROWS 1 PRECEDING)", [1.0, 1.5, 2.5, 3.5]),
            (
                "delta_avg(v) OVER (RANGE 3 SECONDS PRECEDING ACTIVE EXPIRATION)",
                [1.0, 1.5, 2.0, 2.5, 3.0, 4.0],
            ),
            ("window_max(v) OVER (ROWS 1 PRECEDING)", [1.0, 2.0, 3.0, 4.0]),
            ("window_max(v) OVER (ROWS 3 PRECEDING SLIDE 2)", [2.0, 4.0]),
            ("silence(k) OVER (RANGE 3 SECONDS PRECEDING ACTIVE EXPIRATION)", ["nothing since a"] * 2),
            (
                "item_alarm(k, 'item') OVER (RANGE 1 SECOND PRECEDING ACTIVE EXPIRATION)",
                ["larceny alarm"] * 4,
            ),
            ("frequency_of(v % 2) OVER (ROWS 2 PRECEDING)", [1, 1, 2, 2]),
            ("ones(v % 2) OVER (ROWS 1 PRECEDING)", [1, 1, 1, 1]),
            ("priority_sample(k, -v) OVER (ROWS 2 PRECEDING)", ["a", "a", "a", "b"]),
            ("cum_avg(v)", [1.0, 1.5, 2.0, 2.5]),
            ("decay_online_avg(v)", [1.0, (0.9 + 2.2) / 2, (0.9 * 3.1 + 3.3) / 3, (0.9 * 6.09 + 4.4) / 4]),
            ("product_group(k, ts).grp", [1, 1, 1, 2]),
        ]:
            got = [row[0] for row in session.sql(f"SELECT {call} AS r FROM s").collect()]
            assert got == pytest.approx(expected) if isinstance(expected[0], float) else got == expected, call
    finally:
        for file in EXAMPLES:
            name = file.read_text(encoding="utf-8").split("AGGREGATE ", 1)[1].split("(", 1)[0]
            session.sql(f"DROP AGGREGATE IF EXISTS {name}")


def test_the_door_raises_its_alarms(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES[0].parent.parent / "rfid"))
    alarm = importlib.import_module("alarm")
    assert len(alarm.run(spark.newSession(), tmp_path)) > 5


@pytest.fixture
def live(session: Any, tmp_path: Path) -> Path:
    """A stream of files, `live`, and the folder for its files."""
    folder = tmp_path / "rows"
    folder.mkdir()
    stream = session.readStream.schema("k STRING, v INT, ts TIMESTAMP").json(str(folder))
    stream.withWatermark("ts", "0 seconds").createOrReplaceTempView("live")
    return folder


def drop_file(folder: Path, name: str, *seconds: int) -> None:
    lines = [f'{{"k": "a", "v": {s}, "ts": "2026-01-01T00:00:{s:02}Z"}}\n' for s in seconds]
    (folder / name).write_text("".join(lines))


def run_once(session: Any, sql: str, folder: Path) -> list[tuple[Any, ...]]:
    """All rows that the query has given so far, in this run and before."""
    query = session.sql(sql).writeStream.format("parquet").option("path", str(folder / "answer"))
    running = (
        query.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
    )
    running.awaitTermination()
    return sorted(tuple(row) for row in session.read.parquet(str(folder / "answer")).collect())


def test_blocking_on_a_stream_is_refused_at_its_place(session: Any, live: Path) -> None:
    for sql, at in [
        ("SELECT my_mean(v) FROM live", "my_mean"),
        ("SELECT k, running(v), COUNT(*) FROM live GROUP BY k", "COUNT"),
    ]:
        told, error = refused(session, sql)
        assert told == "CSQL_AGGREGATE_BLOCKING", error
        assert position_of(error) == (1, sql.index(at) + 1), error


def test_a_changed_definition_does_not_take_over_the_state(session: Any, live: Path, tmp_path: Path) -> None:
    def define(step: str) -> None:
        session.sql(
            "CREATE OR REPLACE TEMPORARY AGGREGATE steps(x INT) : INT { TABLE t(n INT); INITIALIZE: {"
            f" INSERT INTO t VALUES (0) }} ITERATE: {{ UPDATE t SET n = n + {step};"
            " INSERT INTO RETURN SELECT n FROM t } }"
        )

    define("x")
    sql = "SELECT steps(v) AS n FROM live"
    drop_file(live, "1.json", 1, 2, 3, 9)
    assert run_once(session, sql, tmp_path) == [(2,), (5,)]
    drop_file(live, "2.json", 20)
    assert run_once(session, sql, tmp_path) == [(2,), (5,), (14,)]
    define("1")
    drop_file(live, "3.json", 30)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is compared
        run_once(session, sql, tmp_path)
    assert "CSQL_STATE_CHANGED" in str(caught.value)
