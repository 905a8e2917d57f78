"""How the oracle reads definitions of aggregates: what it refuses, which version it takes, what it drops."""

from __future__ import annotations

import pytest

from tests.aggregates_by_hand import case_file, catalog
from tests.oracle import Catalog, Refused, answer
from tests.oracle.definitions import read
from tests.stream_reading import reading

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
    "CREATE AGGREGATE f(x INT) : INT { ITERATE: { MERGE x; } }": ("CSQL_AGGREGATE_STATEMENT", (1, 46)),
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
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
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
def test_refusal(sql: str) -> None:
    kind, position = REFUSED[sql]
    with pytest.raises(Refused) as caught:
        answer(catalog(), sql)
    assert caught.value.error_class == kind
    assert position in (None, caught.value.position)


def test_division_by_zero_fails() -> None:
    sql = "CREATE AGGREGATE broken(x INT) : DOUBLE { ITERATE: { INSERT INTO RETURN VALUES (1 / (x - 4)); } }"
    with_broken = Catalog.of(catalog().relations.values())
    with_broken.registry.define(sql)
    assert answer(with_broken, "SELECT broken(v) AS b FROM S WHERE v < 4").rows[0] == (-1 / 3,)
    with pytest.raises(Refused, match=r"CSQL_AGGREGATE_FAILED.*broken ITERATE.*INSERT INTO RETURN"):
        answer(with_broken, "SELECT broken(v) AS b FROM S")


def test_a_built_in_keeps_its_base_version() -> None:
    """The window version of a built-in is called where a window version is; else the built-in is."""
    shadowed = Catalog.of(catalog().relations.values())
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


def test_drop_takes_both_versions() -> None:
    dropping = Catalog.of(catalog().relations.values())
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


def test_what_a_stream_can_answer() -> None:
    assert reading("SELECT average(v) AS m FROM S", case_file().relations).whole
    assert reading("SELECT running(v) AS m, COUNT(*) AS n FROM S", case_file().relations).whole
    assert not reading("SELECT k, running(v) AS m FROM S GROUP BY k", case_file().relations).whole
    assert not reading("SELECT average(v) AS m FROM S [Rows 2]", case_file().relations).whole
    assert not reading("SELECT average(v) OVER (ROWS 2 PRECEDING) AS m FROM S", case_file().relations).whole
