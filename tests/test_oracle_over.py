"""The oracle's OVER against the same questions in plain SQL, which DuckDB answers by itself.

SLIDE: number the rows, or find the last of each slot, and keep those. RANGE: a subquery counts the tuples of
[τ−n, τ] that are not after the current one. ACTIVE EXPIRATION: a union with negative tuples, as in the paper.
"""

from __future__ import annotations

import duckdb
import pytest

from tests import slt
from tests.oracle import Catalog, answer
from tests.values import difference

SECONDS = "INTERVAL 1 SECOND *"
# s: every tuple with its place in the stream (n) and in its partition (nk)
NUMBERED = (
    "WITH s AS (SELECT *, ROW_NUMBER() OVER (ORDER BY ts, seq) AS n, "
    "ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts, seq) AS nk FROM S) "
)


def by_rows(value: str, before: int, slide: int, key: str = "") -> str:
    part = f"PARTITION BY {key} " if key else ""
    place = "nk" if key else "n"
    return (
        f"{NUMBERED} SELECT * EXCLUDE place FROM (SELECT {f'{key}, ' if key else ''}seq, "
        f"{value} OVER ({part}ORDER BY ts, seq ROWS {before} PRECEDING) AS w, {place} AS place FROM s) "
        f"WHERE place % {slide} = 0 ORDER BY seq"
    )


def by_time(value: str, reach: float, slide: float = 0, key: str = "") -> str:
    """`value` over the alias p; a slot is told by the rounded up number of slides since 1970."""
    same = f"AND p.{key} IS NOT DISTINCT FROM s.{key}" if key else ""
    slot = f"CEIL(EPOCH(ts) / {slide})" if slide else "seq"
    part = f"{key}, " if key else ""
    return (
        f"{NUMBERED} SELECT {part}seq, (SELECT {value} FROM s AS p WHERE p.ts >= s.ts - {SECONDS} {reach} "
        f"AND p.n <= s.n {same}) AS w FROM s "
        f"QUALIFY ROW_NUMBER() OVER (PARTITION BY {part}{slot} ORDER BY ts DESC, seq DESC) = 1 ORDER BY seq"
    )


def expiring(value: str, reach: int, key: str = "") -> str:
    """Positive and negative tuples in one sequence; a window holds what has come and has not gone."""
    same = f"AND p.{key} IS NOT DISTINCT FROM e.{key}" if key else ""
    part = f"e.{key}, " if key else ""
    return (
        f"{NUMBERED}, e AS (SELECT *, ts AS moment, false AS gone FROM s UNION ALL "
        f"SELECT *, ts + {SECONDS} {reach}, true FROM s), "
        "z AS (SELECT *, ROW_NUMBER() OVER (ORDER BY moment, gone, n) AS place FROM e) "
        f"SELECT {part}e.seq, (SELECT {value} FROM z AS p WHERE NOT p.gone AND p.place <= e.place {same} AND NOT "
        "EXISTS (SELECT 1 FROM z AS q WHERE q.gone AND q.n = p.n AND q.place <= e.place)) FROM z AS e "
        "ORDER BY e.place"
    )


PLAIN = {
    "over-slide.slt": {
        "rows-slide-equal-to-window": by_rows("SUM(v)", 3, 4),
        "rows-slide-longer-than-window": by_rows("SUM(v)", 1, 5),
        "rows-slide-one": by_rows("MAX(v)", 1, 1),
        "rows-slide-with-a-unit": by_rows("MIN(v)", 4, 4),
        "rows-slide-in-tuples": by_rows("MIN(v)", 4, 4),
        "rows-unbounded-slide": by_rows("SUM(v)", 999, 4),
        "rows-between": by_rows("SUM(v)", 3, 2),
        "rows-partitioned-slide": by_rows("SUM(v)", 2, 2, "k"),
        "rows-partitioned-tumble": by_rows("SUM(v)", 1, 3, "k"),
        "rows-slide-with-order-by": by_rows("SUM(v)", 2, 3),
        "rows-slide-by-parameters": by_rows("SUM(v)", 2, 3),
        "range-zero-preceding": by_time("COUNT(*)", 0),
        "range-in-other-units": by_time("COUNT(*)", 0.5, 60),
        "range-unbounded-slide": by_time("SUM(v)", 9999, 15),
        "no-frame": by_time("SUM(v)", 9999),
        "no-frame-partitioned": by_time("MIN(v)", 9999, key="k"),
        "unbounded": by_time("MIN(v)", 9999, key="k"),
        "range-without-slide": by_time("COUNT(*)", 5),
        "range-slide-smaller-than-window": by_time("COUNT(*)", 10, 5),
        "range-slide-equal-to-window": by_time("COUNT(*)", 5, 5),
        "range-slide-longer-than-window": by_time("COUNT(*)", 2, 30),
        "range-slide-that-does-not-divide": by_time("COUNT(*)", 10, 7),
        "range-partitioned-slots": by_time("SUM(v)", 10, 10, "k"),
    },
    "over-expiration.slt": {
        "count": expiring("COUNT(*)", 5),
        "sum-is-null-when-nothing-is-left": expiring("SUM(v)", 5),
        "max": expiring("MAX(v)", 4),
        "partitioned": expiring("COUNT(*)", 5, "k"),
        "partitioned-sum": expiring("SUM(v)", 10, "k"),
        "zero-length": expiring("COUNT(*)", 0),
        "in-an-expression": expiring("100 - COUNT(*)", 5),
        "first-and-last": expiring("FIRST(v ORDER BY n)", 5),
    },
    "over-mixed.slt": {
        "numbers": by_rows("COUNT(*)", 3, 3),
        "filter-in-the-call": by_rows("COUNT(*) FILTER (WHERE v > 9)", 3, 2),
        "argument-is-an-expression": by_rows("SUM(v * 2 + seq)", 1, 2),
    },
}
CASES = [(file, name) for file, queries in PLAIN.items() for name in queries]


@pytest.mark.parametrize(("file", "name"), CASES, ids=lambda text: text)
def test_plain_sql_answers_the_same(file: str, name: str) -> None:
    case = slt.read(slt.CASES / file)
    query = next(q for q in case.queries if q.name == name)
    catalog = Catalog.of(case.relations.values())
    rows = answer(catalog, query.sql, query.args).rows
    connection: duckdb.DuckDBPyConnection = catalog.engine.connection
    plain = connection.execute(PLAIN[file][name]).fetchall()
    # the plain query gives the key, seq and the first value; times and other values are checked elsewhere
    shown = [tuple(v for v in row if not hasattr(v, "year")) for row in rows]
    width = len(plain[0])
    assert difference(plain, [row[:width] for row in shown], ordered=True) is None
