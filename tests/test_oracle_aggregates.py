"""The oracle's aggregates written in SQL, against answers that were worked out by hand."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests import slt
from tests.oracle import Catalog, Refused, answer
from tests.oracle.definitions import read
from tests.stream_reading import reading
from tests.values import Row, difference

FILE = """
stream S (k STRING, v INT, ts TIMESTAMP) order by ts

feed S
a  1  2026-01-01 00:00:01
b  4  2026-01-01 00:00:02
a  3  2026-01-01 00:00:03
a  2  2026-01-01 00:00:10
b  6  2026-01-01 00:00:11
a  8  2026-01-01 00:00:12

table E (k STRING, v INT)

table N (k STRING, v INT)

feed N
a     1
NULL  NULL
a     NULL
NULL  5

aggregate
CREATE AGGREGATE average(x DOUBLE) : DOUBLE {
  TABLE state(s DOUBLE, n INT);
  INITIALIZE: { INSERT INTO state VALUES (x, 1); }
  ITERATE: { UPDATE state SET s = s + x, n = n + 1; }
  TERMINATE: { INSERT INTO RETURN SELECT s / n FROM state; }
}

aggregate
CREATE AGGREGATE running(x INT) : INT {
  TABLE state(s INT);
  INITIALIZE: { INSERT INTO state VALUES (x); INSERT INTO RETURN VALUES (x); }
  ITERATE: { UPDATE state SET s = s + x; INSERT INTO RETURN SELECT s FROM state; }
}

aggregate
CREATE AGGREGATE which(x INT) : STRING {
  TABLE t(n INT);
  INITIALIZE: { INSERT INTO t VALUES (1); }
  ITERATE: { UPDATE t SET n = n + 1; }
  TERMINATE: { INSERT INTO RETURN SELECT 'base ' || n FROM t; }
}

aggregate
CREATE WINDOW AGGREGATE which(x INT) : STRING {
  TABLE t(n INT, gone INT);
  TABLE inwindow(w INT);
  INITIALIZE: { INSERT INTO t VALUES (1, 0); INSERT INTO RETURN VALUES ('window 1 0'); }
  ITERATE: { UPDATE t SET n = n + 1; INSERT INTO RETURN SELECT 'window ' || n || ' ' || gone FROM t; }
  EXPIRE: { UPDATE t SET gone = gone + 1; INSERT INTO RETURN SELECT 'gone ' || gone || ' ' || x FROM t; }
}

aggregate
CREATE WINDOW AGGREGATE peak(x INT) : STRUCT<top: INT, held: BIGINT, gone: INT> {
  TABLE inwindow(w INT);
  TABLE t(gone INT);
  INITIALIZE: { INSERT INTO t VALUES (0); INSERT INTO RETURN VALUES (x, 1, 0); }
  ITERATE: {
    DELETE FROM inwindow WHERE w < x; -- what can never be the largest again
    INSERT INTO RETURN SELECT oldest(), (SELECT COUNT(*) FROM inwindow), gone FROM t; }
  EXPIRE: { UPDATE t SET gone = gone + 1 WHERE oldest().w = x }
}

aggregate
CREATE AGGREGATE tops(x INT, n INT) : INT {
  TABLE kept(y INT);
  ITERATE: { INSERT INTO kept VALUES (x); }
  TERMINATE: {
    INSERT INTO RETURN
      SELECT y FROM kept WHERE (SELECT COUNT(*) FROM kept k WHERE k.y > kept.y) < 2 ORDER BY y DESC; }
}

aggregate
CREATE AGGREGATE large(x INT) : INT {
  ITERATE: { INSERT INTO RETURN VALUES (x) WHERE x > 3; }
}

aggregate
CREATE AGGREGATE held(x INT) : BIGINT {
  TABLE t(x INT);
  ITERATE: { INSERT INTO t VALUES (x); }
  TERMINATE: { INSERT INTO RETURN SELECT COUNT(*) FROM t; }
}

aggregate
CREATE AGGREGATE last_of(x INT) : INT {
  ITERATE: { }
  TERMINATE: { INSERT INTO RETURN VALUES (x); }
}

aggregate
CREATE WINDOW AGGREGATE through(x DOUBLE) : DOUBLE {
  TABLE inwindow(w DOUBLE);
  ITERATE: { INSERT INTO RETURN SELECT average(w) + 100 FROM inwindow; }
}
"""


@pytest.fixture(scope="module")
def file() -> slt.CaseFile:
    return slt.Reader(Path("here.slt"), FILE).read()


@pytest.fixture(scope="module")
def catalog(file: slt.CaseFile) -> Catalog:
    return Catalog.of(file.relations.values())


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
def test_answer(catalog: Catalog, sql: str) -> None:
    expected = [tuple(tuple(v.values()) if isinstance(v, dict) else v for v in row) for row in ANSWERS[sql]]
    told = difference(expected, answer(catalog, sql).rows, ordered=True)
    assert told is None, told


REFUSED = {
    "CREATE AGGREGATE f(x INT) : INT { INITIALIZE: { } }": ("CSQL_STATEMENT_SYNTAX", None),
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { } ITERATE: { } }": ("CSQL_CLAUSE_DOUBLED", (1, 48)),
    "CREATE AGGREGATE f(x INT) : INT { SOMETIMES: { } }": ("CSQL_STATEMENT_SYNTAX", (1, 35)),
    "CREATE AGGREGATE average(x INT) : INT { ITERATE: { } }": ("CSQL_AGGREGATE_EXISTS", (1, 18)),
    "CREATE AGGREGATE max(x INT) : INT { ITERATE: { } }": ("CSQL_AGGREGATE_EXISTS", (1, 18)),
    "CREATE WINDOW AGGREGATE average(x INT) : INT { ITERATE: { } }": ("CSQL_AGGREGATE_VERSIONS", None),
    "CREATE WINDOW AGGREGATE f(x INT) : INT { TABLE inwindow(w INT);\nITERATE: { INSERT INTO inwindow VALUES (x); } }": (
        "CSQL_AGGREGATE_INWINDOW",
        (2, 24),
    ),
    "CREATE WINDOW AGGREGATE f(x INT) : INT { ITERATE: { UPDATE inwindow SET x = 0; } }": (
        "CSQL_AGGREGATE_INWINDOW",
        (1, 60),
    ),
    "CREATE WINDOW AGGREGATE f(x INT) : INT { TABLE inwindow(w STRING); ITERATE: { } }": (
        "CSQL_AGGREGATE_TYPE",
        (1, 48),
    ),
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { DELETE FROM gone; } }": ("CSQL_AGGREGATE_TABLE", (1, 58)),
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { MERGE x; } }": ("CSQL_STATEMENT_SYNTAX", (1, 46)),
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { SELECT x; } }": ("CSQL_AGGREGATE_STATEMENT", (1, 46)),
    "CREATE AGGREGATE f(x INT) : INT { TABLE t(a INT); ITERATE: { UPDATE t SET b = 1; } }": (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        (1, 75),
    ),
    "CREATE AGGREGATE f(x INT) : INT { TABLE t(a INT); ITERATE: { INSERT INTO t VALUES (x, x); } }": (
        "CSQL_AGGREGATE_TYPE",
        (1, 62),
    ),
    "CREATE AGGREGATE f(x INT) : INT { TABLE t(a INT); ITERATE: { UPDATE t SET a = 'x'; } }": (
        "CSQL_AGGREGATE_TYPE",
        (1, 62),
    ),
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { INSERT INTO RETURN VALUES (y); } }": (
        "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
        (1, 73),
    ),
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { INSERT INTO RETURN VALUES ('one'); } }": (
        "CSQL_AGGREGATE_TYPE",
        (1, 46),
    ),
    "CREATE AGGREGATE f(x INT) : INT { TABLE t(a INT); ITERATE: { INSERT INTO RETURN SELECT f(a) FROM t; } }": (
        "CSQL_AGGREGATE_RECURSION",
        None,
    ),
    "CREATE OR REPLACE AGGREGATE average(x DOUBLE) : DOUBLE { TABLE t(a INT); ITERATE: { } TERMINATE: { INSERT INTO "
    "RETURN SELECT average(a) FROM t; } }": ("CSQL_AGGREGATE_RECURSION", None),
    "CREATE ALGEBRAIC AGGREGATE f(x INT) : STRING { ITERATE: { INSERT INTO RETURN VALUES ('a'); } }": (
        "CSQL_AGGREGATE_ALGEBRAIC",
        (1, 28),
    ),
    "DROP AGGREGATE nothing": ("CSQL_AGGREGATE_NOT_FOUND", (1, 16)),
    "SELECT average(v, 1) AS m FROM S": ("CSQL_AGGREGATE_TYPE", None),
    "SELECT average(ts) AS m FROM S": ("CSQL_AGGREGATE_TYPE", None),
    "SELECT average(DISTINCT v) AS m FROM S": ("CSQL_AGGREGATE_CALL", None),
    "SELECT average(v) FILTER (WHERE v > 1) AS m FROM S": ("CSQL_AGGREGATE_CALL", None),
    "SELECT average(v) FILTER (WHERE v > 1) OVER (ROWS 1 PRECEDING) AS m FROM S": (
        "CSQL_AGGREGATE_CALL",
        None,
    ),
    "SELECT peak(v) AS m FROM S": ("CSQL_AGGREGATE_CALL", None),
    "SELECT tops(v, 2) AS a, tops(v, 3) AS b FROM S": ("CSQL_AGGREGATE_ROWS", None),
}


@pytest.mark.parametrize("sql", REFUSED, ids=str)
def test_refusal(catalog: Catalog, sql: str) -> None:
    kind, position = REFUSED[sql]
    with pytest.raises(Refused) as caught:
        answer(catalog, sql)
    assert caught.value.error_class == kind
    assert position in (None, caught.value.position)


def test_division_by_zero_fails(catalog: Catalog) -> None:
    sql = "CREATE AGGREGATE broken(x INT) : DOUBLE { ITERATE: { INSERT INTO RETURN VALUES (1 / (x - 4)); } }"
    with_broken = Catalog.of(catalog.relations.values())
    with_broken.registry.define(sql)
    assert answer(with_broken, "SELECT broken(v) AS b FROM S WHERE v < 4").rows[0] == (-1 / 3,)
    with pytest.raises(Refused, match=r"CSQL_AGGREGATE_FAILED.*broken ITERATE.*INSERT INTO RETURN"):
        answer(with_broken, "SELECT broken(v) AS b FROM S")


def test_a_built_in_keeps_its_base_version(catalog: Catalog) -> None:
    """The window version of a built-in is called where a window version is; else the built-in is."""
    shadowed = Catalog.of(catalog.relations.values())
    shadowed.registry.define(
        "CREATE OR REPLACE TEMPORARY WINDOW AGGREGATE max(x INT) : INT { TABLE inwindow(w INT); "
        "ITERATE: { INSERT INTO RETURN SELECT 100 + max(w) FROM inwindow; } }"
    )
    for sql, expected in {
        "SELECT max(v) AS m FROM S": [8],
        "SELECT max(v) OVER (ROWS 1 PRECEDING) AS m FROM S": [101, 104, 104, 103, 106, 108],
        "SELECT max(v) OVER (ROWS UNBOUNDED PRECEDING) AS m FROM S": [1, 4, 4, 4, 6, 8],
        "SELECT max(v) OVER (ROWS 1 PRECEDING SLIDE 3) AS m FROM S": [4, 8],
        "SELECT max(v) AS m FROM S [Rows 2]": [101, 104, 104, 103, 106, 108],
    }.items():
        assert [row[0] for row in answer(shadowed, sql).rows] == expected, sql


def test_drop_takes_both_versions(catalog: Catalog) -> None:
    dropping = Catalog.of(catalog.relations.values())
    dropping.registry.define(
        "CREATE AGGREGATE twice(x INT) : INT { ITERATE: { INSERT INTO RETURN VALUES (2 * x); } };"
    )
    dropping.registry.define(
        "CREATE WINDOW AGGREGATE twice(x INT) : INT { ITERATE: { INSERT INTO RETURN VALUES (3 * x); } }"
    )
    assert dropping.registry.names == {"twice"}
    dropping.registry.drop("DROP AGGREGATE twice")
    dropping.registry.drop("DROP AGGREGATE IF EXISTS twice")
    assert not dropping.registry.names


def test_definitions_as_printed() -> None:
    """003 Example 18: no types for inwindow, no word WINDOW, a shared body."""
    made = read(
        "CREATE AGGREGATE item_alarm(tagid INT, tagtype STRING) : STRING {\n"
        "TABLE inwindow(tid, ttype);\nINITIALIZE: ITERATE: { DELETE FROM inwindow WHERE tagtype = 'ap'; }\n"
        "EXPIRE: { INSERT INTO RETURN VALUES ('alarm') } }"
    )
    assert made.window
    assert [c.type for c in made.tables["inwindow"]] == ["INT", "VARCHAR"]
    assert {name: len(statements) for name, statements in made.sections.items()} == {
        "INITIALIZE": 1,
        "ITERATE": 1,
        "EXPIRE": 1,
    }


def test_what_a_stream_can_answer(file: slt.CaseFile) -> None:
    assert reading("SELECT average(v) AS m FROM S", file.relations).whole
    assert reading("SELECT running(v) AS m, COUNT(*) AS n FROM S", file.relations).whole
    assert not reading("SELECT k, running(v) AS m FROM S GROUP BY k", file.relations).whole
    assert not reading("SELECT average(v) AS m FROM S [Rows 2]", file.relations).whole
    assert not reading("SELECT average(v) OVER (ROWS 2 PRECEDING) AS m FROM S", file.relations).whole
