"""Aggregates that are classes of Python's: the same calls as of those in SQL, on tables and on streams."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_csql

from tests.batch import error_class_of
from tests.test_aggregates import CALLS, drop_file, live, refused, rows, run_once, session_with_rows

__all__ = ["live"]


class Mean:
    def initialize(self, x: float) -> None:
        self.total, self.count = x, 1

    def iterate(self, x: float) -> None:
        self.total += x
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class Running:
    total = 0

    def iterate(self, x: int) -> int:
        self.total += x
        return self.total


class WindowMean(Mean):
    """Never looks at its window: what leaves is subtracted."""

    def expire(self, x: float) -> Iterator[float]:
        self.total -= x
        self.count -= 1
        if self.count:
            yield self.total / self.count


class Longest:
    """The tuples of the window that no later one has outdone."""

    window: Any

    def iterate(self, name: str, length: int) -> None:
        self.window.delete(lambda row: row.length < length)

    def terminate(self) -> Iterator[tuple[str, int]]:
        for row in self.window:
            yield (row.name, row.length * 10 + len(self.window))


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = session_with_rows(spark)
    spark_csql.aggregate(own, "my_mean(x DOUBLE) : DOUBLE", Mean)
    spark_csql.aggregate(own, "running(x INT) : INT", Running)
    spark_csql.aggregate(own, "delta_mean(x DOUBLE) : DOUBLE", WindowMean, window=True)
    spark_csql.aggregate(own, "longest(name STRING, length INT) : (n STRING, l INT)", Longest, window=True)
    return own


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        *CALLS,
        ("SELECT delta_mean(v) OVER (ROWS 1 PRECEDING) AS m, running(v) OVER (ROWS 1 PRECEDING) AS r FROM s",
         [(1.0, 1), (1.5, 3), (2.5, 5), (3.5, 7)]),
        ("SELECT delta_mean(v) OVER (RANGE 3 SECONDS PRECEDING ACTIVE EXPIRATION) AS m FROM s",
         [(1.0,), (1.5,), (2.0,), (2.5,), (3.0,), (4.0,)]),
        ("SELECT delta_mean(v) AS m FROM s [Partition By k Rows 1]", [(1.0,), (1.5,), (2.5,), (3.0,)]),
        ("SELECT longest(k, 9 - v) AS r FROM s [Partition By k Rows 1]",
         [(("a", 81),), (("a", 82),), (("b", 72),), (("b", 72),), (("a", 62),), (("b", 72),), (("a", 52),)]),
        ("SELECT longest(k, 9 - v) OVER (ROWS 2 PRECEDING) AS r FROM s WHERE v > 1",
         [(("b", 71),), (("b", 72),), (("a", 62),), (("b", 73),), (("a", 63),), (("a", 53),)]),
        ("SELECT v, longest(k, v) OVER (ROWS 2 PRECEDING).l AS r FROM s", [(1, 11), (2, 21), (3, 31), (4, 41)]),
        ("SELECT delta_mean(v) AS m FROM s [Range 2 Seconds]", [(1.0,), (1.5,), (2.5,), (4.0,)]),
    ],
)  # fmt: skip
def test_calls(session: Any, sql: str, expected: list[tuple[Any, ...]]) -> None:
    assert [tuple(map(plain, row)) for row in rows(session, sql)] == expected


def plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, tuple) else value


def test_answers_do_not_depend_on_batches_of_calls(session: Any) -> None:
    table = "(SELECT id % 3 AS k, id AS v FROM RANGE(0, 30000))"
    assert rows(session, f"SELECT k, my_mean(v) AS m FROM {table} GROUP BY k ORDER BY k") == [
        (0, 14998.5), (1, 14999.5), (2, 15000.5),
    ]  # fmt: skip
    sums = rows(session, "SELECT running(1) AS r FROM (SELECT * FROM RANGE(0, 10000, 1, 1))")
    assert sums == [(n,) for n in range(1, 10001)]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("running(v) AS r FROM live", [1, 3, 6, 10, 15, 21, 28]),
        ("my_mean(v) OVER (ORDER BY ts ROWS 1 PRECEDING) AS r FROM live", [1.0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]),
        ("delta_mean(v) OVER (ORDER BY ts RANGE 2 SECONDS PRECEDING) AS r FROM live", [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("delta_mean(v) OVER (ORDER BY ts RANGE 2 SECONDS PRECEDING ACTIVE EXPIRATION) AS r FROM live",
         [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5]),
        ("my_mean(v) AS r FROM live [Range Unbounded, Frequency 2 Seconds]", [1.5, 2.5, 3.5]),
        ("longest(k, 9 - v) OVER (ORDER BY ts ROWS 1 PRECEDING).l AS r FROM live",
         [22, 32, 32, 42, 42, 52, 52, 62, 62, 72, 72, 81, 82]),
    ],
)  # fmt: skip
def test_on_streams_after_restarts(
    session: Any, live: Path, tmp_path: Path, call: str, expected: list[Any]
) -> None:
    drop_file(live, "1.json", 1, 2)
    drop_file(live, "2.json", 3)
    run_once(session, f"SELECT {call}", tmp_path)
    drop_file(live, "3.json", 4, 5)
    run_once(session, f"SELECT {call}", tmp_path)
    drop_file(live, "4.json", 6, 7, 8)
    assert run_once(session, f"SELECT {call}", tmp_path) == [(value,) for value in expected]


def test_many_keys_on_a_stream(session: Any, live: Path, tmp_path: Path) -> None:
    sql = "SELECT k, my_mean(v) OVER (PARTITION BY k ORDER BY ts) AS m FROM live"
    for batch in range(3):
        lines = [f'{{"k": "{k}", "v": {k * batch}, "ts": "2026-01-01T00:00:0{batch}Z"}}\n' for k in range(40)]
        (live / f"{batch}.json").write_text("".join(lines))
        found = run_once(session, sql, tmp_path)
    assert found == sorted((str(k), k * half) for k in range(40) for half in (0.0, 0.5))


class Failing:
    def iterate(self, x: int) -> float | str:
        return "many" if x > 9 else 6 / (x - 2)


def test_failures_tell_where(session: Any) -> None:
    spark_csql.aggregate(session, "failing(x INT) : INT", Failing, replace=True)
    told, error = refused(session, "SELECT failing(v) FROM s")
    assert told == "CSQL_AGGREGATE_FAILED", error
    for part in ("failing", "ITERATE", "Failing.iterate", "ZeroDivisionError", "test_python_aggregates.py"):
        assert part in str(error)
    for sql, message in [
        ("SELECT failing(v + 4) FROM s WHERE v = 2", "1.5 is not a whole number, as int is"),
        ("SELECT failing(v + 9) FROM s", "failed in RETURN, at Failing: "),
    ]:
        told, error = refused(session, sql)
        assert told == "CSQL_AGGREGATE_FAILED", error
        assert message in str(error), error


@pytest.mark.parametrize(
    ("declaration", "options", "message"),
    [
        ("f(x INT) : INT", {"of": dict}, "iterate is not one of its methods"),
        ("f(x INT) : INT", {"of": WindowMean}, "give window=True"),
    ],
)
def test_classes_that_cannot_be_aggregates(
    session: Any, declaration: str, options: Any, message: str
) -> None:
    with pytest.raises(spark_csql.CsqlError, match=message):
        spark_csql.aggregate(session, declaration, **options)


def test_tuples_that_leave_in_any_order_leave_after_a_restart(
    session: Any, live: Path, tmp_path: Path
) -> None:
    session.sql("CREATE OR REPLACE TEMPORARY VIEW parted AS SELECT *, v % 2 AS part FROM live")
    sql = "SELECT delta_mean(v) AS m FROM parted [Partition By part Rows 1]"
    drop_file(live, "1.json", 1, 2, 3, 4, 9)
    assert run_once(session, sql, tmp_path) == [(1.0,), (1.5,), (2.5,), (3.5,)]
    drop_file(live, "2.json", 20, 30)
    assert run_once(session, sql, tmp_path) == [(1.0,), (1.5,), (2.5,), (3.5,), (6.5,), (14.5,)]


def test_described_as_the_class_is(session: Any) -> None:
    for name, blocking in [("my_mean", "true"), ("running", "false")]:
        assert dict(rows(session, f"DESCRIBE AGGREGATE {name}"))["# Blocking"] == blocking


def test_refusals(session: Any) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is compared
        spark_csql.aggregate(session, "my_mean(x DOUBLE) : DOUBLE", Mean)
    assert error_class_of(caught.value) == "CSQL_AGGREGATE_EXISTS"
    for sql in (
        "CREATE TEMPORARY AGGREGATE outer(x INT) : INT { TABLE t(a INT); ITERATE: {"
        " INSERT INTO RETURN SELECT running(a) FROM t } }",
        "SELECT delta_mean(v) OVER (RANGE 1 SECOND PRECEDING ACTIVE EXPIRATION), COUNT(*) OVER (ROWS 1 PRECEDING) FROM s",
    ):
        assert refused(session, sql)[0] == "CSQL_NOT_SUPPORTED_YET"
    session.sql(
        "CREATE TEMPORARY WINDOW AGGREGATE my_mean(x DOUBLE) : DOUBLE { ITERATE: { INSERT INTO RETURN VALUES (x) } }"
    )
    try:
        assert refused(session, "SELECT my_mean(v) FROM s")[0] == "CSQL_NOT_SUPPORTED_YET"
    finally:
        session.sql("DROP AGGREGATE my_mean")
        spark_csql.aggregate(session, "my_mean(x DOUBLE) : DOUBLE", Mean)
