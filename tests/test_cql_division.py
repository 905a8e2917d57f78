"""Queries over several windows are divided by a key where their meaning allows it; EXPLAIN says which, or why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.feeds import Feed

A, B = "a [Range 5 Seconds]", "b [Range 9 Seconds]"
TICK = "Frequency 1 Second"
DIVIDED = {
    f"SELECT a.id, b.v FROM {A} JOIN {B} ON a.id = b.id": "a.id = b.id",
    f"SELECT a.v FROM {A} JOIN {B} ON a.id = b.id AND a.v > b.v JOIN c [Range Unbounded] ON c.id = b.id": "a.id = b.id = c.id",
    f"SELECT a.id + 1, COUNT(*) FROM {A} JOIN {B} ON a.id + 1 = b.id GROUP BY a.id + 1": "(a.id + 1) = b.id",
    f"SELECT b.v FROM {A} JOIN {B} ON a.id % 2 = b.id": "(a.id % 2) = b.id",
    f"SELECT a.v FROM a [Partition By id Rows 2] JOIN {B} ON a.id = b.id AND a.v = b.v": "a.id = b.id",
    f"SELECT a.v, t.w FROM {A} JOIN {B} ON a.id = b.id JOIN t ON t.k = a.v": "a.id = b.id",
    f"SELECT ISTREAM(a.id, b.v) FROM {A} LEFT JOIN {B} ON a.id = b.id": "a.id = b.id",
    f"SELECT DSTREAM(a.id, b.id) FROM {A} FULL JOIN {B} ON a.id = b.id": "a.id = b.id",
    f"SELECT ISTREAM(id) FROM {A} WHERE EXISTS (SELECT 1 FROM {B} WHERE b.id = a.id)": "a.id = b.id",
    f"SELECT ISTREAM(id) FROM {A} WHERE id NOT IN (SELECT id FROM {B})": "a.id = b.id",
    f"SELECT ISTREAM(id, COUNT(*)) FROM {A} GROUP BY id": "a.id",
    "SELECT ISTREAM(id) FROM a [Range Unbounded] WHERE v > 1": "a.id, a.v",
    f"SELECT RSTREAM(a.v) FROM a [Range 5 Seconds, {TICK}] JOIN b [Range 5 Seconds, {TICK}] ON a.id = b.id": "a.id = b.id",
    f"SELECT a.v FROM a [Range 5 Seconds, {TICK}] JOIN b [Range 5 Seconds, {TICK}] ON a.id = b.id": "a.id = b.id",
    f"SELECT id, v FROM {A} INTERSECT SELECT id, v FROM {B}": "a.id = b.id, a.v = b.v",
}
ALONE = {
    f"SELECT a.v FROM {A} JOIN {B} ON a.v > b.v": "the join compares rows of different keys",
    f"SELECT a.v FROM a [Rows 3] JOIN {B} ON a.id = b.id": "the window of a holds the last of all its tuples",
    f"SELECT a.v FROM {A} LEFT JOIN {B} ON a.id = b.id": "told with the next tuple of any key",
    f"SELECT a.v FROM {A} WHERE id IN (SELECT id FROM {B})": "told with the next tuple of any key",
    f"SELECT ISTREAM(a.v) FROM {A} JOIN {B} ON a.id = b.id": "the key is not in the SELECT list",
    f"SELECT RSTREAM(a.id) FROM {A} JOIN {B} ON a.id = b.id": "instants that tuples of any key make",
    f"SELECT a.id % 3, COUNT(*) FROM {A} JOIN {B} ON a.id % 2 = b.id GROUP BY a.id % 3": "groups hold rows of different keys",
    f"SELECT COUNT(*) FROM {A} JOIN {B} ON a.id = b.id": "there is one group of all rows",
    f"SELECT ISTREAM(a.id) FROM {A} RIGHT JOIN t ON t.k = a.id": "a table's rows without a partner are kept",
    f"SELECT ISTREAM(id) FROM {A} ORDER BY id LIMIT 1": "rows are ranked, or compared as a whole",
    f"SELECT ISTREAM(a.id) FROM a [Range 5 Seconds, Frequency 2 Tuples] JOIN {B} ON a.id = b.id": "a jumps by the count",
    f"SELECT ISTREAM(id) FROM {A} WHERE NULLIF(id, 0) NOT IN (SELECT id FROM {B})": "rows of different keys",
}


@pytest.fixture(scope="module")
def session(spark: Any) -> Any:
    own = spark.newSession()
    own.conf.set("spark.csql.notices", "false")
    for name in "abc":
        own.sql(
            f"CREATE TEMPORARY VIEW rows_{name}(id, v, ts) AS VALUES (1, 2, TIMESTAMP '2026-01-01 00:00:01')"
        )
        own.sql(f"CREATE TEMPORARY STREAM {name} ORDER BY ts AS SELECT * FROM rows_{name}")
    own.sql("CREATE TEMPORARY VIEW t(k, w) AS VALUES (1, 2)")
    return own


def plan(session: Any, query: str, operator: str) -> str:
    text: str = session.sql(f"EXPLAIN EXTENDED {query}").collect()[0][0]
    return next(line for line in text.splitlines() if operator in line)


@pytest.mark.parametrize("query", DIVIDED)
def test_the_key(session: Any, query: str) -> None:
    assert plan(session, query, "RelationWindow ").endswith(f", partitioned by {DIVIDED[query]}")


@pytest.mark.parametrize("query", ALONE)
def test_why_one_task(session: Any, query: str) -> None:
    told = plan(session, query, "RelationWindow ").split(", in one task: ")
    assert len(told) == 2, told
    assert ALONE[query] in told[1]


def test_on_streams(spark: Any, tmp_path: Path) -> None:
    own = spark.newSession()
    for name in "ab":
        Feed(own, tmp_path / name).stream().createOrReplaceTempView(f"arrivals_{name}")
        own.sql(f"CREATE TEMPORARY STREAM {name} ORDER BY ts AS SELECT * FROM arrivals_{name}")
    joined = plan(own, next(iter(DIVIDED)), "RelationWindow ")
    assert joined.endswith(", partitioned by a.id = b.id")


@pytest.mark.parametrize(
    ("query", "selects"),
    [
        (f"SELECT a.id FROM {A} JOIN {B} ON a.id = b.id WHERE a.v > 1", True),
        (f"SELECT ISTREAM(a.id) FROM {A} LEFT JOIN {B} ON a.id = b.id WHERE a.v > 1", True),
        (f"SELECT ISTREAM(a.id) FROM {A} RIGHT JOIN {B} ON a.id = b.id WHERE a.v > 1", False),
        (f"SELECT a.id FROM a [Rows 3] JOIN {B} ON a.id = b.id WHERE a.v > 1", False),
        (f"SELECT RSTREAM(a.id) FROM {A} WHERE a.v > 1", False),
        (f"SELECT ISTREAM(COUNT(*)) FROM {A} WHERE a.v > 1", False),
    ],
)
def test_selection_goes_before_windows_by_time(session: Any, query: str, selects: bool) -> None:
    law = "by the law: selection before the window of a"
    assert (law in plan(session, query, "RelationWindow ")) == selects


@pytest.mark.parametrize(
    ("query", "named"),
    [
        (f"SELECT ISTREAM(id) FROM {A} WHERE id NOT IN (SELECT id FROM b [Range Unbounded])", "b"),
        (f"SELECT ISTREAM(id) FROM {A} WHERE id IN (SELECT id FROM b WHERE v > 1)", "b"),
        ("SELECT ISTREAM(DISTINCT id) FROM a [Range Unbounded]", "a"),
        (f"SELECT ISTREAM(id) FROM {A} WHERE id IN (SELECT id FROM {B})", ""),
        (f"SELECT ISTREAM(id) FROM {A} WHERE EXISTS (SELECT 1 FROM b WHERE b.id > a.id)", ""),
        ("SELECT ISTREAM(id) FROM (SELECT id FROM a UNION SELECT id FROM b)", ""),
    ],
)
def test_what_is_only_compared_is_kept_once(session: Any, query: str, named: str) -> None:
    told = plan(session, query, "RelationWindow ")
    assert (f"by the law: one tuple of {named} for each value" in told) == bool(named), told
