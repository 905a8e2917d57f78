"""The validator beside the engine: same verdict, error class and position for what is ours."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest
from spark_csql import validate

from tests import slt
from tests.batch import error_class_of, position_of
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


PLACES = {"CSQL_CLAUSE_DOUBLED", "CSQL_CLAUSE_MISPLACED"}


def told(sql: str) -> tuple[str, tuple[int, int]] | None:
    problems = validate(sql)
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


def test_columns_are_looked_up_in_a_schema() -> None:
    for file in FILES:
        schema = {r.name: {c.name: c.type for c in r.columns} for r in file.relations.values() if r.columns}
        for query in file.queries:
            assert validate(query.sql, schema) == [], query.sql
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


def engine(spark: Any, sql: str) -> tuple[str, tuple[int, int] | None] | None:
    """The verdict of the engine's own parser."""
    try:
        spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
    except Exception as error:
        return error_class_of(error), position_of(error)
    return None


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
