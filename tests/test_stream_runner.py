"""The streaming runner itself, on plain queries: what is cut into micro-batches comes out whole."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import slt
from tests.stream import Outcome
from tests.stream_cases import Runs, cases_of
from tests.stream_cuts import KINDS, Cut, cut, slack, slack_clause
from tests.stream_expected import goes_back, without
from tests.stream_reading import Reading, reading
from tests.stream_shrink import shrunk

PLAIN = """
stream S (k STRING, v INT, x DOUBLE, d DECIMAL(10,2), day DATE, ts TIMESTAMP) order by ts

feed S
a     1     1.5   2.50  2026-01-01  2026-01-01 00:00:01
'b c' 2     NULL  NULL  NULL        2026-01-01 00:00:03
NULL  4     -0.1  0.01  1960-01-01  2026-01-01 00:00:02.000001
a     8     1e10  7.00  2026-01-01  2026-01-01 00:00:02

table T (k STRING, w INT)

feed T
a     10
NULL  20

query all-types
SELECT k, v, x, d, day, ts FROM S WHERE ts < TIMESTAMP '2027-01-01'
----
a      1  1.5            2.5   2026-01-01  2026-01-01 00:00:01
'b c'  2  NULL           NULL  NULL        2026-01-01 00:00:03
NULL   4  -0.1           0.01  1960-01-01  2026-01-01 00:00:02.000001
a      8  10000000000.0  7.0   2026-01-01  2026-01-01 00:00:02

query with-a-table
SELECT T.k, w, array(v, 0) AS a FROM S JOIN T ON S.k = T.k WHERE ts < TIMESTAMP '2027-01-01'
----
a  10  [1, 0]
a  10  [8, 0]

query with-state
SELECT k FROM S WHERE ts < TIMESTAMP '2027-01-01' LIMIT 3
----
a
'b c'
NULL
"""


@pytest.mark.parametrize("kind", KINDS)
def test_plain_queries(spark: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "plain.slt"
    path.write_text(PLAIN, encoding="utf-8")
    cases = cases_of(slt.read(path))
    runs = Runs(spark, tmp_path, [(case, kind) for case in cases])
    assert [runs.wrong(case, kind) for case in cases] == [None] * len(cases)
    assert len(runs.made[cases[0].name, kind][0].batches) >= (1 if kind == "one" else 3)


def relation(rows: list[int]) -> slt.Relation:
    return slt.Relation("stream", "N", [slt.Column("t", "INT")], ["t"], None, [(t,) for t in rows])


@pytest.mark.parametrize(
    ("batches", "needed"),
    [([[3, 1, 2]], 0), ([[3], [1], [2]], 2), ([[1], [5], [5, 4], [9]], 1), ([[], [1], []], 0)],
)
def test_slack_is_the_disorder_between_batches(batches: list[list[int]], needed: int) -> None:
    made = Cut("", tuple(tuple(("n", (t,)) for t in batch) for batch in batches))
    assert slack(made, relation([]), "t") == needed


def test_slack_in_the_unit_of_the_time() -> None:
    told = [slack_clause(n, kind) for n, kind in ((0, "DATE"), (2, "DATE"), (3, "INT"), (1001, "TIMESTAMP"))]
    assert told == ["", " SLACK 2 DAYS", " SLACK 3", " SLACK 2 MILLISECONDS"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 1, 7])
def test_a_cut_keeps_every_row_in_order(kind: str, size: int) -> None:
    items = [("n", (t,)) for t in range(size)]
    for seed in range(20):
        made = cut(kind, items, Random(seed), most=4)
        assert [item for batch in made.batches for item in batch] == items
        assert all(0 < r < len(made.batches) for r in made.restarts)


def test_shrinking_finds_the_rows_and_the_border_that_matter() -> None:
    items = [("n", (t,)) for t in range(12)]

    def fails(made: Cut) -> bool:  # 3 and 7 in different batches
        places = {item[1][0]: b for b, batch in enumerate(made.batches) for item in batch}
        return 3 in places and 7 in places and places[3] < places[7]

    made = cut("rows", items, Random(1))
    assert fails(made)
    assert shrunk(made, fails, 500).batches == ((("n", (3,)),), (("n", (7,)),))


def test_what_is_read_as_a_stream() -> None:
    table = slt.Relation("table", "T", [slt.Column("v", "INT"), slt.Column("ts", "TIMESTAMP")])
    relations = {"n": relation([1]), "t": table}
    both = reading("SELECT * FROM N [Rows 1] JOIN T ON T.v = N.t", relations)
    assert (both.streams, both.tables, both.whole) == ({"n": "t"}, {"t"}, False)
    assert reading("SELECT v FROM T x [Rows 1]", relations).streams == {"t": "ts"}
    assert reading("SELECT v, evaluation_time() AS e FROM T [Rows 1 On v]", relations).instant == 1
    assert reading("SELECT v FROM T [Rows 1] ORDER BY v", relations).whole
    assert not reading("SELECT v FROM T [Tumble 1 Day] ORDER BY v LIMIT 1", relations).whole


def test_instants_never_go_back() -> None:
    first, second = dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2)
    reads = Reading(instant=0)
    assert goes_back(Outcome({0: [(first,), (second,)], 1: [], 2: [(second,)]}), reads) is None
    assert goes_back(Outcome({0: [(second,)], 1: [(first,)]}), reads) is not None


def test_bags_are_subtracted() -> None:
    assert without([(1,), (1,), (2.0,)], [(1,), (2.0 + 1e-13,), (3,)]) == [(1,)]
