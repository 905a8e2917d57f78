"""The validator beside the engine: same verdict, error class and position for what is ours."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from spark_csql import validate
from spark_csql.parse.lexer import lex

from tests import slt
from tests.batch import Batch, error_class_of, position_of
from tests.mutations import corpus, mutants

FILES = slt.case_files()
SEED = int(os.environ.get("CSQL_RANDOM_SEED", "1"))

# Classes that only a fault in the text of a clause or statement has. Others need the columns of relations.
SYNTAX = {
    "CSQL_CLAUSE_DOUBLED",
    "CSQL_CLAUSE_INCOMPLETE",
    "CSQL_CLAUSE_MISPLACED",
    "CSQL_CLAUSE_SYNTAX",
    "CSQL_INSTANT_INVALID",
    "CSQL_LENGTH_FRACTIONAL",
    "CSQL_LENGTH_MISSING",
    "CSQL_LENGTH_OVERFLOW",
    "CSQL_STATEMENT_SYNTAX",
    "CSQL_UNIT_MISMATCH",
    "CSQL_UNIT_UNKNOWN",
}


Schema = dict[str, dict[str, str]]
PLACES = {"CSQL_CLAUSE_DOUBLED", "CSQL_CLAUSE_MISPLACED"}


def told(sql: str, schema: Schema | None = None) -> tuple[str, tuple[int, int]] | None:
    problems = validate(sql, schema)
    return (problems[0].error_class, (problems[0].line, problems[0].position + 1)) if problems else None


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.label)
def test_what_the_cases_answer_is_accepted(file: slt.CaseFile) -> None:
    derived = [relation.query for relation in file.relations.values() if relation.query]
    for sql in [*derived, *(query.sql for query in file.queries)]:
        assert validate(sql) == [], sql


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.label)
def test_what_the_cases_refuse_is_refused_at_the_same_place(file: slt.CaseFile) -> None:
    for refusal in file.refusals:
        found = told(refusal.sql)
        if found is None:
            assert refusal.error_class not in SYNTAX, refusal.sql
            continue
        assert found[0] == refusal.error_class, refusal.sql
        assert refusal.position in (None, found[1]), refusal.sql


def schema_of(file: slt.CaseFile) -> Schema:
    return {r.name: {c.name: c.type for c in r.columns} for r in file.relations.values() if r.columns}


@pytest.mark.parametrize(
    ("sql", "refused"),
    [
        ("SET VAR n = (SELECT COUNT(*) FROM s [Rows 0])", ["CSQL_LENGTH_NOT_POSITIVE"]),
        ("SET n = [Rows 0]", []),
        ("EXPLAIN DELETE FROM t [Rows 3]", ["CSQL_CLAUSE_MISPLACED"]),
        ("EXPLAIN EXTENDED DELETE FROM t [Rows 3]", ["CSQL_CLAUSE_MISPLACED"]),
        ("BEGIN DELETE FROM t [Rows 3]; END", ["CSQL_CLAUSE_MISPLACED"]),
        ("SELECT row active FROM s [Rows 3]", []),
        ("SELECT * FROM s AS window [Now]", []),
        ("SELECT COUNT(*) FROM s AS offset [Rows 0]", ["CSQL_LENGTH_NOT_POSITIVE"]),
    ],
)
def test_places(sql: str, refused: list[str]) -> None:
    assert [problem.error_class for problem in validate(sql)] == refused


def test_columns_of_clauses_are_looked_up_in_a_schema() -> None:
    for file in FILES:
        for query in file.queries:
            assert validate(query.sql, schema_of(file)) == [], query.sql
    schema = {"s": {"K": "STRING", "ts": "TIMESTAMP"}}
    for sql, column in [
        ("SELECT * FROM S [Range 5 Seconds On made]", "made"),
        ("SELECT * FROM S AS x [Partition By x.K, x.`no t` Rows 3]", "x.`no t`"),
        (
            "CREATE STREAM t AS SELECT 1 FROM a, S y [Rows 3, Frequency 2 Tuples Partitioned By y.animal]",
            "y.animal",
        ),
    ]:
        (problem,) = validate(sql, schema)
        assert problem.error_class == "CSQL_COLUMN_NOT_FOUND"
        assert sql[problem.start : problem.stop] == column
        assert validate(sql) == []
    assert validate("WITH S AS (SELECT 1 AS made) SELECT * FROM S [Rows 5 On made]", schema) == []
    assert validate("SELECT * FROM (SELECT 1 AS made) S [Rows 5 On made], T [Rows 5 On b]", schema) == []


S = {"s": {"k": "STRING", "v": "INT", "ts": "TIMESTAMP", "f": "STRUCT<x: INT>", "l": "ARRAY<INT>"}}


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT k, COUNT(*) FROM s [Rows 3] WHERE w > 1 GROUP BY k", "w"),
        ("SELECT S.K, `no` FROM s [Rows 3]", "`no`"),
        ("SELECT x.k FROM s x [Rows 3] JOIN s y [Rows 3] ON x.k = y.w", "y.w"),
        ("SELECT v AS a, a + 1 AS b FROM s [Rows 3] WHERE a > 1", "a"),
        ("SELECT b, a FROM (SELECT v AS a FROM s [Rows 3]) [Rows 2] AS t", "b"),
        (
            "WITH t AS (SELECT v AS a FROM s) SELECT a FROM t [Rows 3] WHERE EXISTS (SELECT 1 FROM s WHERE k = w)",
            "w",
        ),
        ("SELECT ISTREAM(k, w) FROM s [Now]", "w"),
        ("ISTREAM(SELECT k FROM s [Now] UNION ALL SELECT w FROM s [Now])", "w"),
        ("SELECT SUM(v) OVER (PARTITION BY w RANGE 1 HOUR PRECEDING SLIDE 5 MINUTES) FROM s", "w"),
        ("SELECT k FROM s [Rows 3] ORDER BY w", "w"),
        ("CREATE STREAM t AS SELECT w FROM s [Rows 3]", "w"),
        ("CREATE CONTINUOUS QUERY q AS SELECT w FROM s [Rows 3]", "w"),
        ("CREATE TEMPORARY VIEW t AS SELECT w FROM s", "w"),
        ("INSERT INTO t (a) SELECT w FROM s", "w"),
        ("DECLARE w INT; SELECT w, z FROM s", "z"),
    ],
)
def test_columns_of_queries_are_looked_up_in_a_schema(sql: str, column: str) -> None:
    (problem,) = validate(sql, S)
    assert problem.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert sql[problem.start : problem.stop] == column


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, v AS a, a + 1 AS b, SUM(f.x) FROM s [Rows 3] GROUP BY ALL HAVING b > 1 ORDER BY b, s.ts",
        "SELECT transform(l, e -> e + v), aggregate(l, 0, (a, e) -> a + e) FROM s [Rows 3]",
        "SELECT w FROM s [Rows 3], range(3) AS t(w)",
        "SELECT w FROM s [Rows 3] LATERAL VIEW explode(l) t AS w",
        "SELECT w FROM other o [Rows 3] JOIN s USING (k)",
        "SELECT (SELECT MAX(id) FROM range(3) WHERE id < o.v) FROM s o [Rows 3]",
        "SELECT * FROM s PIVOT (SUM(v) FOR k IN ('a', 'b')) WHERE a > 1",
        "SELECT explode(l) FROM s ORDER BY col",
        "SELECT timediff(HOUR, ts, current_timestamp), user FROM s",
        "SELECT window.start, COUNT(*) FROM s GROUP BY window(ts, '1 hour')",
        "FROM s |> WHERE v > 1 |> EXTEND v + 1 AS w |> WHERE w > 3",
        "CREATE OR REPLACE TEMPORARY VIEW s AS SELECT 1 AS w; SELECT w FROM s [Rows 3]",
        "CREATE FUNCTION f(w INT) RETURNS INT RETURN SELECT MAX(v) + w FROM s",
        "DECLARE w INT; SELECT w, session.w FROM s [Rows 3]",
        "BEGIN DECLARE w INT; SELECT w FROM s; END",
        "SELECT broken ((( FROM s",
    ],
)
def test_what_names_may_mean_is_not_refused(sql: str) -> None:
    assert validate(sql, S) == []


def test_mistyped_columns(spark: Any) -> None:
    """With a schema the validator tells what the engine tells, or keeps silent."""
    random, same = Random(SEED), 0
    for file in random.sample([file for file in FILES if file.queries], 4):
        schema = schema_of(file)
        names = {column.lower() for columns in schema.values() for column in columns}
        session = Batch(spark, [replace(r, rows=[]) for r in file.relations.values()], 1).spark
        plain = [query for query in file.queries if not query.settings and not query.args]
        for query in random.sample(plain, min(len(plain), 10)):
            places = [token for token in lex(query.sql) if token.text.lower() in names]
            if places:
                place = random.choice(places)
                sql = f"{query.sql[: place.start]}nope{query.sql[place.stop :]}"
                found = told(sql, schema)
                assert found is None or found == verdict(session.sql, sql), sql
                same += found is not None
    assert same > 5


def verdict(read: Callable[[str], Any], sql: str) -> tuple[str, tuple[int, int] | None] | None:
    try:
        read(sql)
    except Exception as error:
        return error_class_of(error), position_of(error)
    return None


def engine(spark: Any, sql: str) -> tuple[str, tuple[int, int] | None] | None:
    """The verdict of the engine's own parser."""
    return verdict(spark._jsparkSession.sessionState().sqlParser().parsePlan, sql)


def check(spark: Any, sql: str) -> bool:
    """Compares the two; whether the engine's verdict was about something of ours."""
    expected, found = engine(spark, sql), told(sql)
    if expected is None:
        assert found is None, f"the engine accepts\n{sql}\n{found}"
        return True
    if expected[0].startswith("CSQL_"):
        silent = found is None and expected[0] in PLACES
        assert silent or found == expected, sql
        return not silent
    return False  # Spark's own fault, or a marker without a value: a fault of ours may come on top


def test_mistyped_statements(spark: Any) -> None:
    """The validator may keep silent on places in texts that use keywords as names, and on nothing else."""
    texts = corpus()
    assert all(check(spark, sql) for sql in texts)
    ours = sum(check(spark, sql) for sql in mutants(Random(SEED), 1500))
    assert ours > 500


@pytest.mark.parametrize(
    "relation", ["S STREAM", "S AS STREAM", "STREAM S", "STREAM(S)", "(SELECT * FROM S) STREAM"]
)
def test_stream_is_an_alias_too(relation: str) -> None:
    assert validate(f"SELECT * FROM {relation} [Range 1 Minute]") == []
