"""Texts that a collation takes for equal: compared as the collation says, or refused as keys."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.conf.set("spark.csql.notices", "false")
    for name, rows in {"s": "('A', 1), ('b', 3), ('C', 5), ('a', 6)", "other": "('a', 0), ('B', 2)"}.items():
        own.sql(
            f"CREATE TEMPORARY VIEW {name}_rows AS SELECT CAST(name AS STRING COLLATE UTF8_LCASE) AS name, "
            f"timestamp_seconds(t) AS ts FROM VALUES {rows} AS (name, t)"
        )
        own.sql(f"CREATE TEMPORARY STREAM {name} ORDER BY ts AS SELECT * FROM {name}_rows")
    return own


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT ISTREAM(name) FROM s WHERE name NOT IN (SELECT name FROM other)", "C"),
        ("SELECT ISTREAM(name) FROM s WHERE name IN (SELECT name FROM other)", "Aba"),
        ("SELECT s.name FROM s [Rows 9] JOIN other [Rows 9] ON s.name = other.name", "Aba"),
        ("SELECT name FROM s [Rows 9] WHERE name = 'a'", "Aa"),
    ],
)
def test_compared_as_the_collation_says(session: Any, query: str, names: str) -> None:
    assert "".join(row.name for row in session.sql(query).collect()) == names


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ISTREAM(name, COUNT(*)) FROM s [Range 1 Hour] GROUP BY name",
        "SELECT ISTREAM(DISTINCT name) FROM s [Range 1 Hour]",
        "SELECT name FROM s [Rows 9] INTERSECT SELECT name FROM other [Rows 9]",
        "SELECT name, COUNT(*) FROM s [Rows 9] GROUP BY name",
        "SELECT COUNT(DISTINCT name) FROM s [Rows 9]",
        "SELECT DISTINCT name FROM s [Rows 9]",
        "SELECT COUNT(*) FROM s [Partition By name Rows 9]",
        "SELECT COUNT(*) FROM s [Rows 9, Frequency 2 Tuples Partitioned By name]",
        "SELECT SUM(1) OVER (PARTITION BY name ROWS 1 PRECEDING SLIDE 2) FROM s",
    ],
)
def test_refused_as_a_key(session: Any, query: str) -> None:
    with pytest.raises(Exception, match=r"CSQL_NOT_SUPPORTED_YET.*STRING COLLATE UTF8_LCASE"):
        session.sql(query).collect()


def test_what_the_error_says_helps(session: Any) -> None:
    key = "LOWER(name) COLLATE UTF8_BINARY"
    answer = session.sql(f"SELECT {key} AS name, COUNT(*) AS n FROM s [Rows 9] GROUP BY {key}")
    assert [tuple(row) for row in answer.collect()] == [("a", 1), ("b", 1), ("c", 1), ("a", 2)]
