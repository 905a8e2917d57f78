"""The oracle's aggregates written in SQL, against answers that were worked out by hand."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.aggregates_by_hand import catalog
from tests.oracle import answer
from tests.values import Row, difference


def at(second: int) -> dt.datetime:
    return dt.datetime(2026, 1, 1, 0, 0, second)


ANSWERS: dict[str, list[Row]] = {
    # base calls
    "SELECT average(v) AS m FROM S": [(4.0,)],
    "SELECT k, average(v) AS m, COUNT(*) AS n FROM S GROUP BY k ORDER BY k": [("a", 3.5, 4), ("b", 5.0, 2)],
    "SELECT k, average(v) AS m FROM S GROUP BY k HAVING average(v) > 4 ORDER BY k": [("b", 5.0)],
    "SELECT average(v + 1) AS m, average(v) * 2 AS d FROM S": [(5.0, 8.0)],
    "SELECT average(v) AS m FROM E": [],
    "SELECT held(v) AS m, COUNT(*) AS n FROM E": [],
    "SELECT k, held(v) AS m FROM E GROUP BY k": [],
    "SELECT held(v) AS h, average(v) AS m FROM N": [(4, None)],
    "SELECT k, held(v) AS h FROM N GROUP BY k ORDER BY k": [(None, 2), ("a", 2)],
    "SELECT tops(v, 2) AS t FROM S": [(8,), (6,)],
    "SELECT last_of(v) AS l FROM S": [(8,)],
    "SELECT k, last_of(v) AS l FROM S [Rows 3, Frequency 3 Tuples] GROUP BY k": [
        ("a", 3),
        ("b", 4),
        ("a", 8),
        ("b", 6),
    ],
    "SELECT k, tops(v, 2) AS t, MAX(v) AS m FROM S GROUP BY k ORDER BY k, t": [
        ("a", 3, 8),
        ("a", 8, 8),
        ("b", 4, 6),
        ("b", 6, 6),
    ],
    # non-blocking ones answer for each tuple
    "SELECT running(v) AS r FROM S": [(1,), (5,), (8,), (10,), (16,), (24,)],
    "SELECT k, running(v) AS r FROM S GROUP BY k": [
        ("a", 1),
        ("b", 4),
        ("a", 4),
        ("a", 6),
        ("b", 10),
        ("a", 14),
    ],
    "SELECT large(v) AS l FROM S": [(4,), (6,), (8,)],
    "SELECT large(v) AS l, running(v) AS r FROM S": [(4, 5), (6, 16), (8, 24)],
    # OVER: which version, over what
    "SELECT which(v) OVER (ROWS 1 PRECEDING) AS w FROM S": [
        ("window 1 0",),
        ("window 2 0",),
        ("window 3 1",),
        ("window 4 2",),
        ("window 5 3",),
        ("window 6 4",),
    ],
    "SELECT which(v) OVER (PARTITION BY k RANGE 2 SECONDS PRECEDING) AS w FROM S": [
        ("window 1 0",),
        ("window 1 0",),
        ("window 2 0",),
        ("window 3 2",),
        ("window 2 1",),
        ("window 4 2",),
    ],
    "SELECT which(v) OVER (ROWS UNBOUNDED PRECEDING) AS w FROM S": [(f"base {n}",) for n in range(1, 7)],
    "SELECT which(v) OVER () AS w FROM S": [(f"base {n}",) for n in range(1, 7)],
    "SELECT v, which(v) OVER (ROWS 1 PRECEDING SLIDE 2) AS w FROM S": [
        (4, "base 2"),
        (2, "base 2"),
        (8, "base 2"),
    ],
    "SELECT v, which(v) OVER (ROWS 0 PRECEDING SLIDE 4) AS w FROM S": [(2, "base 1")],
    "SELECT v, which(v) OVER (ROWS 2 PRECEDING SLIDE 2) AS w FROM S": [
        (4, "window 2 0"),
        (2, "window 4 1"),
        (8, "window 6 3"),
    ],
    # the slot (0, 10] ends at :10, whose window [0, 10] has four tuples; (10, 20] at :12, [2, 12] has five
    "SELECT v, which(v) OVER (RANGE 10 SECONDS PRECEDING SLIDE 10 SECONDS) AS w FROM S": [
        (2, "base 4"),
        (8, "base 5"),
    ],
    "SELECT v, which(v) OVER (RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION) AS w, evaluation_time() AS t FROM S": [
        (1, "window 1 0", at(1)),
        (4, "window 2 0", at(2)),
        (3, "window 3 0", at(3)),
        (1, "gone 1 1", at(6)),
        (4, "gone 2 4", at(7)),
        (3, "gone 3 3", at(8)),
        (2, "window 4 3", at(10)),
        (6, "window 5 3", at(11)),
        (8, "window 6 3", at(12)),
        (2, "gone 4 2", at(15)),
        (6, "gone 5 6", at(16)),
        (8, "gone 6 8", at(17)),
    ],
    # only a base version: over what is left; nothing when nothing is left
    "SELECT v, average(v) OVER (RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION) AS w FROM S WHERE k = 'b'": [
        (4, 4.0),
        (6, 6.0),
    ],
    "SELECT v, held(v) OVER (RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION) AS w FROM S WHERE k = 'b'": [
        (4, 1),
        (6, 1),
    ],
    "SELECT v, average(v) OVER (ROWS 1 PRECEDING) AS m, SUM(v) OVER (ROWS 1 PRECEDING) AS s FROM S": [
        (1, 1.0, 1),
        (4, 2.5, 5),
        (3, 3.5, 7),
        (2, 2.5, 5),
        (6, 4.0, 8),
        (8, 7.0, 14),
    ],
    # a non-blocking base version: what the current tuple returns when the window is run through afresh
    "SELECT running(v) OVER (ROWS 1 PRECEDING) AS r FROM S": [(1,), (5,), (7,), (5,), (8,), (14,)],
    "SELECT large(v) OVER (ROWS 3 PRECEDING) AS l FROM S": [(4,), (6,), (8,)],
    "SELECT tops(v, 2) OVER (ROWS 2 PRECEDING SLIDE 3) AS t FROM S": [(4,), (3,), (8,), (6,)],
    # deleted tuples do not expire: 1, 4 and 3 are gone before they could
    "SELECT v, peak(v) OVER (ROWS 2 PRECEDING) AS p FROM S": [
        (1, {"top": 1, "held": 1, "gone": 0}),
        (4, {"top": 4, "held": 1, "gone": 0}),
        (3, {"top": 4, "held": 2, "gone": 0}),
        (2, {"top": 4, "held": 3, "gone": 0}),
        (6, {"top": 6, "held": 1, "gone": 1}),
        (8, {"top": 8, "held": 1, "gone": 1}),
    ],
    "SELECT peak(v) OVER (ROWS 2 PRECEDING SLIDE 2).top + 1 AS p FROM S": [(5,), (5,), (9,)],
    "SELECT through(v) OVER (ROWS 1 PRECEDING) AS t FROM S": [
        (101.0,),
        (102.5,),
        (103.5,),
        (102.5,),
        (104.0,),
        (107.0,),
    ],
    # windows in brackets
    "SELECT which(v) AS w FROM S [Rows 2]": [
        ("window 1 0",),
        ("window 2 0",),
        ("window 3 1",),
        ("window 4 2",),
        ("window 5 3",),
        ("window 6 4",),
    ],
    "SELECT k, which(v) AS w FROM S [Rows 2] GROUP BY k": [
        ("a", "window 1 0"),
        ("b", "window 1 0"),
        ("a", "window 2 1"),
        ("a", "window 3 1"),
        ("b", "window 2 1"),
        ("a", "window 4 3"),
    ],
    "SELECT which(v) AS w FROM S [Range Unbounded]": [(f"base {n}",) for n in range(1, 7)],
    "SELECT which(v) AS w FROM S [Rows 2, Frequency 2 Tuples]": [("base 2",)] * 3,
    "SELECT which(v) AS w FROM S [Rows 3, Frequency 2 Tuples]": [
        ("base 2",),
        ("base 3",),
        ("base 3",),
    ],
    "SELECT peak(v).top AS w FROM S [Rows 3, Frequency 2 Tuples]": [(4,), (4,), (8,)],
    "SELECT k, average(v) AS m, MAX(v) AS x FROM S [Range 10 Seconds, Frequency 10 Seconds] GROUP BY k": [
        ("a", 2.0, 3),
        ("b", 4.0, 4),
        ("a", 8.0, 8),
        ("b", 6.0, 6),
    ],
    "SELECT running(v) AS r FROM S [Rows 3, Frequency 3 Tuples]": [(8,), (16,)],
    "SELECT held(v) AS h, COUNT(*) AS n FROM S [Rows 3, Frequency 3 Tuples] WHERE v > 5": [(2, 2)],
    "SELECT average(v) AS h, COUNT(*) AS n FROM S [Rows 3, Frequency 3 Tuples] WHERE v > 5": [(7.0, 2)],
    "SELECT k, average(v) AS m FROM S [Partition By k Rows 2] GROUP BY k": [
        ("a", 1.0),
        ("b", 4.0),
        ("a", 2.0),
        ("a", 2.5),
        ("b", 5.0),
        ("a", 5.0),
    ],
    "SELECT evaluation_time() AS t, average(v) AS m FROM S [Tumble 10 Seconds]": [
        (at(10), 2.5),
        (at(20), 7.0),
    ],
    "SELECT running(r) AS q FROM (SELECT running(v) AS r FROM S)": [
        (1,),
        (6,),
        (14,),
        (24,),
        (40,),
        (64,),
    ],
}


@pytest.mark.parametrize("sql", ANSWERS, ids=str)
def test_answer(sql: str) -> None:
    expected = [tuple(tuple(v.values()) if isinstance(v, dict) else v for v in row) for row in ANSWERS[sql]]
    told = difference(expected, answer(catalog(), sql).rows, ordered=True)
    assert told is None, told


FRAMES = [
    "ROWS 2 PRECEDING",
    "RANGE 2 SECONDS PRECEDING",
    "PARTITION BY k RANGE 9 SECONDS PRECEDING",
    "PARTITION BY k ROWS UNBOUNDED PRECEDING",
    "ROWS 2 PRECEDING SLIDE 2",
    "ROWS 1 PRECEDING SLIDE 3",
    "PARTITION BY k ROWS 1 PRECEDING SLIDE 2",
    "RANGE 8 SECONDS PRECEDING SLIDE 3 SECONDS",
    "RANGE 1 SECOND PRECEDING SLIDE 5 SECONDS",
]
CLAUSES = [
    "[Rows 3]",
    "[Range 8 Seconds]",
    "[Tumble 4 Seconds]",
    "[Range 5 Tuples, Frequency 3 Tuples]",
    "[Rows 3 Lag 1 Tuple]",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_sum_in_sql_is_the_built_in_sum(frame: str) -> None:
    rows = answer(catalog(), f"SELECT total(v) OVER ({frame}) AS a, SUM(v) OVER ({frame}) AS b FROM S").rows
    assert rows
    assert all(a == b for a, b in rows)


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("group", ["", " GROUP BY k"])
def test_a_sum_in_sql_is_the_built_in_sum_in_brackets(clause: str, group: str) -> None:
    rows = answer(catalog(), f"SELECT total(v) AS a, SUM(v) AS b FROM S {clause}{group}").rows
    assert rows
    assert all(a == b for a, b in rows)
