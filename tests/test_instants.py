"""Instants in clauses: those that the stream's time can have, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.batch import error_class_of, position_of


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    session = spark.newSession()
    session.sql(
        "CREATE TEMPORARY VIEW days AS SELECT n AS v, n AS t, DATE '2026-01-01' + (n - 1) AS d FROM VALUES (1), (2), (3) AS x(n)"
    )
    return session


@pytest.mark.parametrize(
    ("instant", "answer"),
    [
        ("DATE '2026-01-02'", [2, 3]),
        ("TIMESTAMP '2026-01-02 00:00:00'", [2, 3]),
        ("TIMESTAMP_NTZ '2026-01-02 00:00:00'", [2, 3]),
        ("'2026-01-02'", [2, 3]),
    ],
)
def test_days(session: Any, instant: str, answer: list[int]) -> None:
    rows = session.sql(f"SELECT v FROM days [Landmark From {instant} On d]").collect()
    assert [row.v for row in rows] == answer


@pytest.mark.parametrize(
    "clause",
    [
        "Landmark From TIMESTAMP '2026-01-02 12:00:00' On d",
        "Landmark From '2026-01-02 12:00:00' On d",
        "Landmark From 'soon' On d",
        "Range 2 Days, Frequency 2 Days Origin TIMESTAMP '2026-01-02 12:00:00' On d",
        "Landmark From '1.5' On t",
        "Landmark From 99999999999 On t",
    ],
)
def test_what_no_time_can_be_is_refused_at_its_place(session: Any, clause: str) -> None:
    sql = f"SELECT v FROM days [{clause}]"
    with pytest.raises(Exception) as refused:  # noqa: PT011 - the class is checked below
        session.sql(sql)
    assert error_class_of(refused.value) == "CSQL_INSTANT_INVALID"
    place = clause.index("From ") + 5 if "From" in clause else clause.index("Origin ") + 7
    assert position_of(refused.value) == (1, sql.index(clause) + place + 1)
