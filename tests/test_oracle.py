"""The oracle against answers computed by hand from the definitions; an answer is never edited to fit it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import slt
from tests.oracle import Catalog, NotCovered, Refused, Undetermined, answer
from tests.values import render_rows

RELATIONS = """
stream S (k STRING, v INT, t INT) order by t

# s(1) … s(7)
feed S
a     10    1
b     20    2
a     30    2
c     NULL  5
a     40    9
b     50    10
NULL  60    10

table T (k STRING, w INT)

feed T
a  1
a  2
b  3

# fed out of order, with ties in time; s orders them
stream U (v INT, s INT, t TIMESTAMP) order by t, s

feed U
1  9  2026-01-01 00:00:03
2  5  2026-01-01 00:00:03
3  1  2026-01-01 00:00:01

stream Old (v INT, t TIMESTAMP)

feed Old
1  1969-12-31 23:59:58
2  1969-12-31 23:59:59.5
3  1970-01-01 00:00:00
4  1970-01-01 00:00:00.000001

table Days (v INT, d DATE)

feed Days
1  2026-01-01
2  2026-01-02
3  2026-01-05

table Latent (v INT)

feed Latent
3
1
2

table Two (v INT, t1 TIMESTAMP, t2 TIMESTAMP_NTZ)

stream Empty (v INT, t TIMESTAMP) order by t

stream D order by t as
SELECT evaluation_time() AS t, COUNT(*) AS n FROM S [Tumble 5]
"""

# query -> the rows of its answer, parted by "|"
ANSWERS = {
    # §2 windows, sliding
    "SELECT SUM(v) FROM S [Rows 2]": "10|30|50|30|40|90|110",
    "SELECT k, COUNT(*) FROM S [Range 2 Tuples] GROUP BY k": "a 1|b 1|a 1|c 1|a 1|b 1|NULL 1",
    "SELECT COUNT(*) FROM S [Range 3]": "1|2|3|1|1|2|3",
    "SELECT COUNT(*) FROM S [Now]": "1|1|2|1|1|1|2",
    "SELECT COUNT(*) FROM S [Range Unbounded]": "1|2|3|4|5|6|7",
    "SELECT SUM(v) FROM S [Rows Unbounded]": "10|30|60|60|100|150|210",
    "SELECT SUM(v) FROM S [Partition By k Rows 1]": "10|30|50|50|60|90|150",
    "SELECT SUM(v) FROM S [Range 1 Tuple Partitioned By k]": "10|30|50|50|60|90|150",
    "SELECT COUNT(*) FROM S [Range 2 Lag 1]": "1|1",
    "SELECT v FROM S [Range 2 Lag 1]": "10|40",
    "SELECT SUM(v) FROM S [Rows 2 Lag 1 Tuple]": "10|30|50|30|40|90",
    "SELECT COUNT(*) FROM S [Landmark From 2]": "1|2|3|4|5|6",
    "SELECT COUNT(*) FROM S [Landmark Until 5]": "1|2|3|4",
    "SELECT COUNT(*) FROM S [Band From 2 Until 9]": "1|2|3|4",
    "SELECT v FROM S [Band From 2 Until 9]": "20|30|NULL|40",
    "SELECT v FROM S [Range 3, Frequency 1 Tuple]": "10|20|30|NULL|40|50|60",
    # §3 jumping
    "SELECT evaluation_time(), COUNT(*) FROM S [Tumble 5]": "5 4|10 3",
    "SELECT evaluation_time(), COUNT(*) FROM S [Range 3, Frequency 2]": "2 3|4 2|6 1|10 3|12 2",
    "SELECT evaluation_time(), COUNT(*) FROM S [Frequency 2 Range 3]": "2 3|4 2|6 1|10 3|12 2",
    "SELECT evaluation_time(), COUNT(*) FROM S [Range 2, Slide 5]": "5 1|10 3",
    "SELECT evaluation_time(), COUNT(*) FROM S [Range 5, Frequency 5 Origin 1]": "1 1|6 3|11 3",
    "SELECT evaluation_time(), COUNT(*) FROM S [Range 5, Frequency 5 Origin 101]": "1 1|6 3|11 3",
    "SELECT evaluation_time(), COUNT(*) FROM S [Now, Frequency 5]": "5 1|10 2",
    "SELECT evaluation_time(), COUNT(*) FROM S [Range 2 Lag 1, Frequency 2]": "2 1|4 2|6 1|10 1|12 2",
    "SELECT SUM(v) FROM S [Rows 2, Frequency 2 Tuples]": "30|30|90",
    "SELECT SUM(v) FROM S [Rows 3, Frequency 2 Tuples]": "30|50|90",
    "SELECT SUM(v) FROM S [Rows 1, Frequency 3 Tuples]": "30|50",
    "SELECT SUM(v) FROM S [Tumble 3 Rows]": "60|90",
    "SELECT COUNT(*) FROM S [Rows 2 Lag 4 Tuples, Frequency 2 Tuples]": "0|0|2",
    # §3 mixed
    "SELECT evaluation_time(), COUNT(*) FROM S [Range 3, Frequency 2 Tuples]": "2 2|5 1|10 2",
    "SELECT evaluation_time(), SUM(v) FROM S [Rows 3, Frequency 5]": "5 50|10 150",
    "SELECT evaluation_time(), SUM(v) FROM S [Rows 3, Frequency 2]": "2 60|6 50|10 150",
    "SELECT evaluation_time(), COUNT(*) FROM S [Range Unbounded, Frequency 2]": "2 3|6 4|10 7",
    "SELECT evaluation_time(), COUNT(*) FROM S [Landmark From 3, Frequency 2]": "6 1|10 4",
    "SELECT evaluation_time(), COUNT(*) FROM S [Landmark Until 5, Frequency 2]": "2 3|6 4",
    "SELECT evaluation_time(), COUNT(*) FROM S [Band From 2 Until 5, Frequency 5]": "5 3",
    "SELECT evaluation_time(), SUM(v) FROM S [Rows 1 Lag 3 Tuples, Frequency 2]": "6 10|10 NULL",
    # §3 lone frequencies
    "SELECT k FROM S [Frequency 2 Tuples]": "b|c|b",
    "SELECT SUM(v) FROM S [Frequency 2 Tuples]": "20|20|70",
    "SELECT k, evaluation_time() FROM S [Frequency 4]": "a 2|c 5|NULL 10",
    "SELECT COUNT(*) FROM S [Frequency 4]": "1|2|3",
    "SELECT k, v FROM S [Frequency 2 Tuples Partitioned By k]": "a 30|b 50",
    "SELECT v FROM S [Frequency 5 Partition By k]": "20|30|NULL|40|50|60",
    "SELECT k FROM S [Frequency 5 Origin 1]": "a|c|NULL",
    # §3 partitioned jumps
    "SELECT k, SUM(v) FROM S [Range 10, Frequency 2 Tuples Partitioned By k] GROUP BY k": "a 40|b 70",
    "SELECT evaluation_time(), SUM(v), COUNT(*) FROM S [Rows 2, Frequency 5 Partitioned By k]": (
        "5 40 2|5 20 1|5 NULL 1|10 60 1|10 70 2|10 70 2"
    ),
    "SELECT evaluation_time(), MAX(k) FROM S [Range 3, Frequency 5 Partition By k]": "5 c|10 NULL|10 a|10 b",
    "SELECT COUNT(*) FROM S [Range 2 Tuples Partitioned By k, Frequency 3 Tuples]": "3|5",
    "SELECT SUM(v) FROM S [Rows 2, Frequency 1 Tuple Partitioned By k]": "10|20|40|NULL|70|70|60",
    # §4 WHERE, empty windows, HAVING, DISTINCT, groups, top n
    "SELECT COUNT(*) FROM S [Rows 2] WHERE v > 15": "1|2|1|2|2",
    "SELECT COUNT(*), SUM(v) FROM S [Tumble 5] WHERE v > 1000": "0 NULL|0 NULL",
    "SELECT k, COUNT(*) FROM S [Tumble 5] WHERE v > 1000 GROUP BY k": "",
    "SELECT k, COUNT(*) AS n FROM S [Tumble 5] GROUP BY k HAVING n > 1": "a 2",
    "SELECT k, COUNT(*) FROM S [Tumble 5] GROUP BY k": "a 2|b 1|c 1|NULL 1|a 1|b 1",
    "SELECT DISTINCT k FROM S [Rows 3]": "a|b|c|b|NULL",
    "SELECT DISTINCT k FROM S [Rows 2]": "a|b|a|c|a|b|NULL",
    "SELECT DISTINCT k FROM S [Tumble 5]": "a|b|c|a|b|NULL",
    "SELECT k FROM S [Tumble 5]": "a|b|a|c|a|b|NULL",
    "SELECT v FROM S [Tumble 5] ORDER BY v DESC LIMIT 1": "30|60",
    "SELECT v FROM S [Tumble 5] ORDER BY v LIMIT 1": "NULL|40",
    "SELECT v FROM S [Rows 9] WHERE v < 40 ORDER BY v DESC LIMIT 2": "30|20",
    # aggregates that see the window's order
    "SELECT first(v), last(v), collect_list(v) FROM S [Tumble 5]": "10 NULL [10, 20, 30]|40 60 [40, 50, 60]",
    "SELECT COUNT(DISTINCT k), COUNT(k), COUNT(v) / 2 FROM S [Tumble 5]": "3 4 1.5|2 2 1.5",
    "SELECT max_by(k, v), any_value(k), COUNT(*) FILTER (WHERE v > 15) FROM S [Tumble 5]": "a a 2|NULL a 3",
    # §5 frequency on the answer
    "SELECT k, COUNT(*) [Frequency 2 Tuples Partitioned By k] AS n FROM S [Rows 9] GROUP BY k": "a 2|b 2",
    "SELECT COUNT(*) [Frequency 2 Tuples Partitioned By S.k] AS n FROM S [Rows 9] GROUP BY k": "2|2",
    "SELECT COUNT(*) [Frequency 5] FROM S [Range Unbounded]": "4|7",
    "SELECT * [Frequency 3 Tuples] FROM S": "a 30 2|b 50 10",
    "SELECT COUNT(*) [Frequency 2 Tuples] FROM S [Tumble 5]": "3",
    # §6 nesting, joins, unions, plain SQL around
    "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM S [Tumble 5]) [Rows 2]": "4|7",
    "SELECT SUM(Y.n) FROM (SELECT COUNT(*) AS n FROM S [Range 3, Frequency 2]) AS X Y [Tumble 5]": "5|4|2",
    "WITH x AS (SELECT COUNT(*) AS n FROM S [Range 3, Frequency 2]) SELECT MAX(n) FROM x [Tumble 5]": "3|3|2",
    "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM S [Rows 4]) AS x": "4",
    "SELECT s.k, w FROM S [Rows 2] s JOIN T ON s.k = T.k": "a 1|a 2|b 3|a 1|a 2|a 1|a 2|b 3",
    "SELECT COUNT(*) FROM S [Rows 2] s JOIN T ON s.k = T.k": "2|3|3|2|3",
    "SELECT s.v, w FROM S [Band From 5 Until 9] s LEFT JOIN T ON s.k = T.k": "NULL NULL|40 1|40 2",
    "SELECT 1 AS x, COUNT(*) FROM S [Tumble 5] UNION ALL SELECT 2, COUNT(*) FROM S [Rows 7]": (
        "2 1|2 2|2 3|1 4|2 4|2 5|1 3|2 6|2 7"
    ),
    "SELECT v FROM S [Rows 7] UNION SELECT v FROM S [Now] WHERE v > 15": "10|20|30|NULL|40|50|60",
    # §1 order and time
    "SELECT v FROM U [Rows 1]": "3|2|1",
    "SELECT COUNT(*) FROM U [Range 1 Second]": "1|1|2",
    "SELECT v FROM U [Rows 1 On t]": "3|1|2",
    "SELECT evaluation_time(), COUNT(*) FROM Old [Tumble 1 Second]": (
        "1969-12-31 23:59:58 1|1970-01-01 00:00:00 2|1970-01-01 00:00:01 1"
    ),
    "SELECT evaluation_time(), SUM(v) FROM Days [Range 2 Days On d, Frequency 1 Day]": (
        "2026-01-01 1|2026-01-02 3|2026-01-03 2|2026-01-05 3|2026-01-06 3"
    ),
    "SELECT SUM(v) FROM Latent [Rows 2]": "3|4|3",
    "SELECT COUNT(*) FROM Empty [Tumble 1 Second]": "",
    "SELECT n FROM D [Rows 1]": "4|3",
    "SELECT SUM(n) FROM D [Range 6]": "4|7",
    # §8 OVER: closed bounds, up to the current tuple
    "SELECT SUM(v) OVER (ROWS 1 PRECEDING) FROM S": "10|30|50|30|40|90|110",
    "SELECT k, SUM(v) OVER (PARTITION BY k) FROM S": "a 10|b 20|a 40|c NULL|a 80|b 70|NULL 60",
    "SELECT t, COUNT(*) OVER (RANGE 3 PRECEDING) FROM S": "1 1|2 2|2 3|5 3|9 1|10 2|10 3",
    "SELECT t, COUNT(*) OVER (RANGE 3 PRECEDING SLIDE 5) FROM S": "5 3|10 3",
    "SELECT k, SUM(v) OVER (PARTITION BY k ROWS 1 PRECEDING SLIDE 2) FROM S": "a 40|b 70",
    "SELECT k, COUNT(*) OVER (PARTITION BY k RANGE 9 PRECEDING SLIDE 5) FROM S": (
        "b 1|a 2|c 1|a 3|b 2|NULL 1"
    ),
    "SELECT v, SUM(v) OVER (ROWS 1 PRECEDING SLIDE 2) FROM Latent": "1 4",
    "SELECT v, COUNT(*) OVER (ROWS 1 PRECEDING SLIDE 2), SUM(v) OVER (ROWS 2 PRECEDING SLIDE 3) FROM S": (
        "50 2 90"
    ),
    "SELECT v, evaluation_time(), COUNT(*) OVER (RANGE 3 PRECEDING ACTIVE EXPIRATION) FROM S": (
        "10 1 1|20 2 2|30 2 3|10 4 2|NULL 5 3|20 5 2|30 5 1|NULL 8 0|"
        "40 9 1|50 10 2|60 10 3|40 12 2|50 13 1|60 13 0"
    ),
    "SELECT t, SUM(v) OVER (ORDER BY t) FROM S WHERE t < 3": "1 10|2 60|2 60",
    "SELECT t, SUM(v) OVER (ORDER BY t RANGE 0 PRECEDING SLIDE 1) FROM S WHERE t < 3": "1 10|2 50",
}

REFUSED = {
    "SELECT * FROM S [Range 0]": "CSQL_LENGTH_NOT_POSITIVE 1:24",
    "SELECT * FROM S [Range -1]": "CSQL_LENGTH_NOT_POSITIVE 1:24",
    "SELECT * FROM S [Range 1.5]": "CSQL_LENGTH_FRACTIONAL 1:24",
    "SELECT * FROM U [Range Seconds]": "CSQL_LENGTH_MISSING 1:24",
    "SELECT * FROM U\n  [Range 1 Fortnight]": "CSQL_UNIT_UNKNOWN 2:12",
    "SELECT * FROM U [Range 9223372036854775807 Days]": "CSQL_LENGTH_OVERFLOW 1:24",
    "SELECT * FROM U [Range 5]": "CSQL_UNIT_MISSING 1:24",
    "SELECT * FROM U [Range 5 Seconds, Range 6 Seconds]": "CSQL_CLAUSE_DOUBLED 1:35",
    "SELECT * FROM U [Range 5 Seconds, Rows 6]": "CSQL_CLAUSE_CONTRADICTORY 1:35",
    "SELECT * FROM U [Range 5 Seconds Lag 2 Tuples]": "CSQL_UNIT_MISMATCH 1:38",
    "SELECT * FROM U WHERE v > 1 [Range 5 Seconds]": "CSQL_CLAUSE_MISPLACED 1:29",
    "SELECT v [Rows 5] FROM U": "CSQL_CLAUSE_MISPLACED 1:10",
    "SELECT * FROM Latent [Range 5 Seconds]": "CSQL_TIME_COLUMN_MISSING 1:22",
    "SELECT * FROM Two [Range 5 Seconds]": "CSQL_TIME_COLUMN_AMBIGUOUS 1:19",
    "SELECT * FROM U [Partition By x Rows 3]": "CSQL_COLUMN_NOT_FOUND 1:17",
    "SELECT SUM(v) OVER (ROWS 2 PRECEDING SLIDE 0) FROM S": "CSQL_LENGTH_NOT_POSITIVE 1:44",
    "SELECT SUM(v) OVER (ROWS 2 PRECEDING ACTIVE EXPIRATION) FROM S": "CSQL_CLAUSE_CONTRADICTORY 1:38",
    "SELECT SUM(v) OVER (RANGE 2 SECONDS PRECEDING) FROM S": "CSQL_UNIT_UNFIT 1:27",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.of(slt.Reader(Path("here.slt"), RELATIONS).read().relations.values())


@pytest.mark.parametrize("sql", ANSWERS)
def test_answer_by_hand(catalog: Catalog, sql: str) -> None:
    rows = [" ".join(line.split()) for line in render_rows(answer(catalog, sql).rows)]
    assert rows == [row for row in ANSWERS[sql].split("|") if row]


@pytest.mark.parametrize("sql", REFUSED)
def test_refusal(catalog: Catalog, sql: str) -> None:
    with pytest.raises(Refused) as caught:
        answer(catalog, sql)
    line, column = caught.value.position or (0, 0)
    assert f"{caught.value.error_class} {line}:{column}" == REFUSED[sql]


def test_open_answers_are_not_guessed(catalog: Catalog) -> None:
    with pytest.raises(Undetermined):
        answer(catalog, "SELECT k FROM S [Tumble 5] ORDER BY v IS NULL LIMIT 2")
    with pytest.raises(Undetermined):
        answer(catalog, "SELECT v FROM S [Rows 5] LIMIT 2")
    with pytest.raises(NotCovered):
        answer(catalog, "SELECT * FROM S [Rows 5] a NATURAL JOIN S [Rows 5] b")
    assert not answer(catalog, "SELECT n FROM (SELECT COUNT(*) AS n FROM S [Rows 4]) AS x").ordered


def test_null_time() -> None:
    text = "table N (v INT, t TIMESTAMP)\n\nfeed N\n1 NULL\n2 2026-01-01 00:00:00\n"
    relations = slt.Reader(Path("here.slt"), text).read().relations.values()
    with pytest.raises(Refused, match="CSQL_NULL_TIME"):
        answer(Catalog.of(relations), "SELECT v FROM N [Rows 1]")
    dropping = Catalog.of(relations, {"spark.csql.nullTime": "drop"})
    assert answer(dropping, "SELECT v FROM N [Rows 1]").rows == [(2,)]
