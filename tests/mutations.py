"""Statements of the language, and what becomes of them when somebody mistypes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from spark_csql.parse.lexer import lex

from tests import slt

STATEMENTS = [
    "CREATE STREAM s (id INT, ts TIMESTAMP) ORDER BY ts, id SLACK 5 SECONDS LATE INTO late SOURCE 'rate'",
    "CREATE OR REPLACE TEMPORARY STREAM s (a, b) ORDER BY a AS SELECT x, y FROM t [Range 1 Hour] WHERE x > 1",
    "CREATE STREAM IF NOT EXISTS s (a INT) USING csv OPTIONS (path '/data', header 'true') SLACK 0 SECONDS",
    "CREATE CONTINUOUS QUERY IF NOT EXISTS q INTO db.t TRIGGER 10 SECONDS CHECKPOINT '/c' AS SELECT * FROM s [Rows 2]",
    "CREATE CONTINUOUS QUERY q AVAILABLE NOW AS ISTREAM(SELECT a FROM s [Now])",
    "DROP STREAM IF EXISTS a.s",
    "SHOW STREAMS LIKE 'a*'",
    "DESCRIBE STREAM s",
    "STOP CONTINUOUS QUERY q",
    "RESUME CONTINUOUS QUERY `a b`",
    "DROP CONTINUOUS QUERY IF EXISTS q",
    "SHOW CONTINUOUS QUERIES 'a*'",
    "DESCRIBE CONTINUOUS QUERY q",
    "EXPLAIN EXTENDED SELECT a FROM S [Rows 5, Frequency 5 Tuples]",
    "SELECT avg(x) OVER (PARTITION BY k ORDER BY ts RANGE 1 HOUR PRECEDING SLIDE 5 MINUTES) FROM S",
    "SELECT sum(x) OVER (ROWS BETWEEN 3 PRECEDING AND CURRENT ROW SLIDE 2) AS s, 1 FROM S",
    "SELECT max(x) OVER w FROM S WINDOW w AS (ORDER BY ts RANGE 5 MINUTES PRECEDING ACTIVE EXPIRATION)",
    "SELECT a, b [Frequency 10 Tuples Partitioned By a] AS c FROM S [Range 1 Hour, Slide 5 Minutes On ts] AS x",
    "SELECT * FROM A [Landmark From TIMESTAMP '2026-01-01'] JOIN B [Band From 1 Until 9] ON A.x = B.x AND A.y[1] > 2",
    "SELECT a FROM (SELECT a FROM S [Range 1 Minute]) AS P Q [Range 5 Tuples Lag 2 Tuples], T TABLESAMPLE (10 ROWS)",
    "WITH w AS (SELECT * FROM S [Partition By a, b Rows 3]) SELECT CASE WHEN a THEN b END FROM w [Tumble 5 Minutes]",
    "INSERT INTO t SELECT DISTINCT a FROM S [Frequency 1 Hour Origin TIMESTAMP '2026-01-01 00:00:00'] GROUP BY a",
    "SELECT a FROM S [Now] UNION ALL SELECT b FROM T [Rows Unbounded] ORDER BY a LIMIT 3",
    "SELECT ISTREAM(a, b) FROM S [Range 30 Seconds], T [Range Unbounded] WHERE S.a = T.a",
    "CREATE AGGREGATE m(x INT) : DOUBLE { TABLE t(s DOUBLE); INITIALIZE: ITERATE: { INSERT INTO t VALUES (x); } }",
    "FROM S [Rows 5] SELECT a, count(*) [Frequency 2 Tuples] GROUP BY a HAVING count(*) > 1",
]
WORDS = """
[ ] ( ) , . - + * : { } 0 5 1.5 5L 1e3 99999999999999999999 'a' '2026-01-01' `q` "d" a ts Range Rows Now Tumble
Landmark Band Partition Partitioned By Lag Frequency Slide Origin On From Until Unbounded Tuples Rows Seconds Minute Days
Fortnights TIMESTAMP DATE SELECT FROM WHERE GROUP ORDER AS JOIN AND PRECEDING SLIDE ACTIVE EXPIRATION RANGE ROWS OVER
STREAM CONTINUOUS QUERY SLACK LATE INTO SOURCE USING IF NOT EXISTS TRIGGER ISTREAM
""".split()  # noqa: SIM905
CLAUSES = [
    "[Rows 5]",
    "[Range 1 Hour]",
    "[Frequency 2 Tuples]",
    "[Now]",
    "[Range 1 Hour, Frequency 5 Minutes On ts]",
]


def corpus() -> list[str]:
    cases = [query.sql for file in slt.case_files() for query in file.queries if not query.args]
    refusals = [refusal.sql for file in slt.case_files() for refusal in file.refusals]
    return STATEMENTS + sorted(set(cases + refusals))


def mutants(random: Random, count: int) -> Iterator[str]:
    """Statements with one to three mistakes in them."""
    texts = corpus()
    for _ in range(count):
        source = random.choice(STATEMENTS if random.random() < 0.5 else texts)
        words = [token.text for token in lex(source) if token.kind != "EOF"]
        for _ in range(random.randint(1, 3)):
            _mistake(random, words)
        yield "".join(words)


def _mistake(random: Random, words: list[str]) -> None:
    at = random.randrange(len(words) + 1)
    kind = random.randrange(6)
    if kind == 0:
        words.insert(at, f" {random.choice(WORDS)} ")
    elif kind == 1:
        words.insert(at, f" {random.choice(CLAUSES)} ")
    elif at < len(words):
        if kind == 2:
            del words[at]
        elif kind == 3:
            words.insert(at, words[at])
        elif kind == 4:
            words[at] = f" {random.choice(WORDS)} "
        else:
            other = random.randrange(len(words))
            words[at], words[other] = words[other], words[at]
