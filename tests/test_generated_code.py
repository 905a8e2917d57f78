"""Our operators inside of the code that Spark generates, with Spark's own operators around them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.wholeStage", "true")
    own.conf.set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY")
    own.sql("CREATE TEMPORARY VIEW machines AS SELECT id, id % 3 AS site FROM range(7)")
    own.sql(
        "CREATE TEMPORARY STREAM loads ORDER BY ts AS "
        "SELECT id % 7 AS id, id AS load, timestamp_seconds(id + 1) AS ts FROM range(0, 1000, 1, 3)"
    )
    return own


@pytest.mark.parametrize("broadcast", ["-1", "10MB"])
@pytest.mark.parametrize(
    "window",
    [
        "Range 30 Seconds, Frequency 50 Tuples",
        "Rows 30, Frequency 50 Seconds",
        "Rows 30, Frequency 50 Tuples",
        "Range 30 Seconds, Frequency 50 Seconds",
    ],
)
def test_slices_below_a_join(session: Any, broadcast: str, window: str) -> None:
    session.conf.set("spark.sql.autoBroadcastJoinThreshold", broadcast)
    answer = session.sql(
        f"SELECT m.site, COUNT(*) AS n, SUM(l.load) AS total FROM loads l [{window}] "
        "JOIN machines m ON l.id = m.id GROUP BY m.site"
    )
    first = [[load for load in range(20, 50) if load % 7 % 3 == site] for site in range(3)]
    rows = [tuple(row) for row in answer.collect()]
    assert sorted(rows[:3]) == [(site, len(loads), sum(loads)) for site, loads in enumerate(first)]
    assert len(rows) == 60


@pytest.mark.parametrize("aggregates", [1, 12, 150], ids=["one", "some", "too-many-for-one-method"])
def test_many_aggregates(session: Any, aggregates: int) -> None:
    """Of windows that slide, and of windows that jump and are made of slices."""
    names = ["AVG", "SUM", "MAX", "COUNT", "MIN", "STDDEV"]
    calls = [f"{names[n % 6]}(load + {n}) FILTER (WHERE load % {n % 5 + 2} > 0)" for n in range(aggregates)]
    values = ", ".join(f"{call} AS a{n}" for n, call in enumerate(calls))
    slid = session.sql(f"SELECT id, {values} FROM loads [Partition By id Rows 9] GROUP BY id").collect()
    frame = "OVER (PARTITION BY id ORDER BY ts ROWS 8 PRECEDING)"
    framed = ", ".join(f"{call} {frame} AS a{n}" for n, call in enumerate(calls))
    assert_close(slid, session.sql(f"SELECT id, {framed} FROM loads").collect())
    jumped = session.sql(f"SELECT {values} FROM loads [Rows 1000, Frequency 250 Tuples]").collect()
    assert_close(jumped[-1:], session.sql(f"SELECT {values} FROM loads").collect())


def assert_close(ours: list[Any], expected: list[Any]) -> None:
    def known(row: Any) -> list[float]:
        return [-1.0 if value is None else float(value) for value in row]

    assert len(ours) == len(expected)
    for own, other in zip(sorted(map(known, ours)), sorted(map(known, expected)), strict=True):
        assert own == pytest.approx(other)
