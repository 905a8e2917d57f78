"""The oracle on several streams and on streams from relations, against answers computed by hand (semantics §6, §7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import slt
from tests.oracle import Catalog, Refused, answer
from tests.values import render_rows

RELATIONS = """
stream A (k STRING, v INT, t INT) order by t

feed A
x  1  1
y  2  2
x  3  4

stream B (k STRING, w INT, t INT) order by t

feed B
x  10  2
x  20  3
y  30  6

table T (k STRING, n INT)

feed T
x  100
z  300

table Latent (v INT)

feed Latent
3
3
1

table Other (v INT)

stream Clocked (k STRING, ts TIMESTAMP) order by ts

view Twice as
SELECT k, COUNT(*) AS n FROM B GROUP BY k HAVING n > 1

view Pair as
SELECT a.v, Twice.n FROM A [Now] a, Twice WHERE a.k = Twice.k
"""

# query -> the rows of its answer, parted by "|"
ANSWERS = {
    # joins: the new rows, told by their tuples; ties in the order of FROM
    "SELECT a.v, b.w FROM A [Range 3] a JOIN B [Range 3] b ON a.k = b.k": "1 10|1 20|3 10|3 20",
    "SELECT a.v, b.w FROM A [Range 3] a LEFT JOIN B [Range 3] b ON a.k = b.k": (
        "1 NULL|2 NULL|1 10|1 20|3 10|3 20|3 NULL"
    ),
    "SELECT p.v, q.v FROM A [Rows 2] p JOIN A [Rows 1] q ON p.k = q.k": "1 1|2 2|3 3",
    "SELECT T.k, a.v FROM T LEFT JOIN A [Rows 1] a ON T.k = a.k": "x 1|z NULL|x NULL|x 3",
    "SELECT a.k, COUNT(*) FROM A [Range 3] a JOIN B [Range 3] b ON a.k = b.k GROUP BY a.k": "x 1|x 2|x 2",
    "SELECT COUNT(*) FROM A [Range 3] a JOIN B [Range 3] b ON a.k = b.k": "1|2|2",
    "SELECT a.v, b.w FROM A [Rows 1] a, B b WHERE a.k = b.k": "3 10|3 20",
    # jumps: all rows when the items jump together, else the new ones
    "SELECT evaluation_time(), COUNT(*) FROM A [Range 2, Frequency 2] a, B [Range 2, Frequency 2] b": (
        "2 2|4 1|6 0"
    ),
    "SELECT a.v, b.w FROM A [Range 2, Frequency 2] a, B [Range 2, Frequency 2] b": "1 10|2 10|3 20",
    "SELECT a.v, b.w FROM A [Range 2, Frequency 2] a, B [Rows 1] b": "1 10|2 10|1 20|2 20|3 20|3 30",
    "SELECT a.v, b.w FROM A [Rows 2, Frequency 2 Tuples] a, B [Rows 1] b": "1 10|2 10|1 20|2 20|1 30|2 30",
    # subqueries at the same instant
    "SELECT v FROM A [Range Unbounded] WHERE k NOT IN (SELECT k FROM B [Range 2])": "1|2|1|3",
    "SELECT v FROM A [Range Unbounded] WHERE k IN (SELECT k FROM B [Rows 1])": "1|3|2",
    "SELECT ISTREAM(v) FROM A [Range 3] a WHERE EXISTS (SELECT 1 FROM B [Range 2] b WHERE b.k = a.k)": "1|3",
    "SELECT v, (SELECT MAX(w) FROM B [Range Unbounded]) FROM A [Rows 1]": "1 NULL|2 10|3 20",
    "SELECT evaluation_time(), COUNT(*) FROM A [Tumble 2] WHERE k NOT IN (SELECT k FROM B)": "2 1|4 0",
    "SELECT T.n FROM T WHERE k IN (SELECT k FROM A [Rows 1])": "100|100",
    # set operations
    "SELECT k FROM A [Rows 2] EXCEPT ALL SELECT k FROM B [Rows 1]": "x|y|x",
    "SELECT k FROM A [Rows 2] INTERSECT ALL SELECT k FROM B [Rows 1]": "x|x|x|y",
    "SELECT k FROM A [Rows 2] INTERSECT ALL SELECT k FROM B": "x|x|y",
    "SELECT k FROM T EXCEPT SELECT k FROM A [Rows 1]": "z|x",
    "SELECT v FROM A [Rows 1] UNION ALL SELECT w FROM B": "1|2|10|20|3|30",
    "ISTREAM(SELECT k FROM A [Range 2] EXCEPT SELECT k FROM B [Range 2])": "x|y|x",
    # streams from relations
    "SELECT ISTREAM(k, evaluation_time()) FROM A [Range 2]": "x 1|y 2|x 4",
    "SELECT DSTREAM(k, evaluation_time()) FROM A [Range 2]": "x 3|y 4|x 6",
    "SELECT RSTREAM(k, evaluation_time()) FROM A [Range 2]": "x 1|x 2|y 2|y 3|x 4",
    "SELECT RSTREAM(COUNT(*), evaluation_time()) FROM A [Range 2]": "1 1|2 2|1 3|1 4|0 6",
    "SELECT ISTREAM(COUNT(*)) FROM A [Range 2]": "1|2|1|0",
    "SELECT DSTREAM(COUNT(*)) FROM A [Range 2]": "1|2|1",
    "SELECT RSTREAM(COUNT(*), evaluation_time()) FROM A [Now]": "1 1|1 2|0 3|1 4|0 5",
    "SELECT ISTREAM(k) FROM B [Rows 1]": "x|y",
    "SELECT RSTREAM(k) FROM B [Rows 1]": "x|x|y",
    "SELECT RSTREAM(v) FROM A [Rows 1 Lag 1 Tuple]": "1|2",
    "SELECT RSTREAM(COUNT(*), evaluation_time()) FROM A [Landmark From 2]": "1 2|2 4",
    "SELECT RSTREAM(COUNT(*), evaluation_time()) FROM A [Range 2, Frequency 2]": "2 2|1 4|0 6",
    "SELECT DSTREAM(COUNT(*), evaluation_time()) FROM A [Range 2, Frequency 2]": "2 4|1 6",
    "SELECT ISTREAM(v) FROM A [Rows 1, Frequency 2 Tuples]": "2",
    "SELECT ISTREAM(v) FROM Latent [Rows 1]": "3|1",
    "SELECT ISTREAM(b.w) FROM B [Now] b, A [Range 2] a WHERE a.k = b.k": "10",
    "SELECT RSTREAM(k, COUNT(*)) FROM B GROUP BY k ORDER BY COUNT(*) DESC, k LIMIT 1": "x 1|x 2|x 2",
    # relations and streams in FROM
    "SELECT ISTREAM(a.v) FROM A [Now] a, (SELECT k, MAX(w) AS m FROM B GROUP BY k) r WHERE a.k = r.k": "3",
    "SELECT ISTREAM(v, n) FROM Pair": "3 2",
    "SELECT RSTREAM(n, evaluation_time()) FROM Twice": "2 3|2 6",
    "SELECT k FROM A [Rows 1] MINUS SELECT k FROM T": "y",
    "SELECT ISTREAM(DISTINCT *) FROM (ISTREAM(SELECT k FROM A [Rows 1])) [Range Unbounded]": "x|y",
    "SELECT v, evaluation_time() FROM ((SELECT k, v FROM A) UNION (SELECT k, w FROM B)) [Partition By k Rows 1] AS P": (
        "1 1|2 2|10 2|20 3|3 4|30 6"
    ),
}

UNORDERED = {
    "SELECT a.v, b.w FROM A [Rows 1] a FULL JOIN B [Rows 1] b ON a.k = b.k": (
        "1 NULL|2 NULL|NULL 10|NULL 20|3 20|3 NULL|NULL 30"
    ),
    "RSTREAM(SELECT k FROM A [Now] UNION ALL SELECT k FROM B [Now])": "x|y|x|x|x|y",
}

REFUSED = {
    "SELECT * FROM Latent [Rows 1] a, Other [Rows 2] b": "CSQL_STREAMS_LATENT",
    "SELECT * FROM A [Rows 1], Clocked [Rows 1]": "CSQL_TIME_TYPES_DIFFER",
    "SELECT v FROM A [Rows 1] WHERE k IN (SELECT k FROM Clocked)": "CSQL_TIME_TYPES_DIFFER",
    "SELECT k FROM A [Rows 1] EXCEPT SELECT k FROM Clocked": "CSQL_TIME_TYPES_DIFFER",
    "SELECT * FROM A [Rows 1, Frequency 2 Tuples Partitioned By k], B [Rows 1]": "CSQL_JUMP_PARTITIONED",
    "SELECT RSTREAM(*) FROM A [Rows 1, Frequency 2 Partitioned By k]": "CSQL_JUMP_PARTITIONED",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.of(slt.Reader(Path("here.slt"), RELATIONS).read().relations.values())


def lines(rows: list[tuple[object, ...]]) -> list[str]:
    return [" ".join(line.split()) for line in render_rows(rows)]


@pytest.mark.parametrize("sql", ANSWERS)
def test_answer_by_hand(catalog: Catalog, sql: str) -> None:
    assert lines(answer(catalog, sql).rows) == ANSWERS[sql].split("|")


@pytest.mark.parametrize("sql", UNORDERED)
def test_answer_in_no_order(catalog: Catalog, sql: str) -> None:
    given = answer(catalog, sql)
    assert not given.ordered
    assert sorted(lines(given.rows)) == sorted(UNORDERED[sql].split("|"))


@pytest.mark.parametrize("sql", REFUSED)
def test_refusal(catalog: Catalog, sql: str) -> None:
    with pytest.raises(Refused) as caught:
        answer(catalog, sql)
    assert caught.value.error_class == REFUSED[sql]
