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
