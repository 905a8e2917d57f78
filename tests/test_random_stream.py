"""Random queries on streams against the oracle, under random cuts with a restart.

CSQL_RANDOM_SEED chooses another corpus, CSQL_STREAM_SEED other cuts, CSQL_RANDOM_STREAM_QUERIES the corpus's size.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import slt
from tests.oracle import Catalog, answer
from tests.random_data import World
from tests.random_queries import QUERIES_PER_WORLD, corpus
from tests.stream_cases import SEED, Case, Runs
from tests.stream_cuts import position
from tests.stream_reading import reading, time_type

CORPUS = int(os.environ.get("CSQL_RANDOM_SEED", "20260202"))
USUAL = int(os.environ.get("CSQL_RANDOM_STREAM_QUERIES", "75"))
LONG = 500
NUMBERS = [
    pytest.param(
        n,
        id=f"seed-{CORPUS}-query-{n}",
        marks=[
            pytest.mark.xdist_group(f"random stream {n // QUERIES_PER_WORLD}"),
            *[pytest.mark.long] * (n >= USUAL),
        ],
    )
    for n in range(LONG)
]


@cache
def questions(count: int) -> list[Case]:
    """The queries as cases, each with its right answer."""
    files: dict[int, tuple[slt.CaseFile, Catalog]] = {}
    cases = []
    for number, (world, query) in enumerate(corpus(CORPUS, count)):
        if id(world) not in files:
            made = file_of(world, len(files))
            files[id(world)] = made, Catalog.of(made.relations.values())
        file, catalog = files[id(world)]
        rows = answer(catalog, query.sql).rows
        asked = slt.Query(f"query-{number}", query.sql, rows, [], {}, {}, 0, (0, 0))
        cases.append(Case(file, asked, reading(query.sql, file.relations)))
    return cases


def from_zero(relation: slt.Relation) -> slt.Relation:
    """Integer times moved up, as those below 0 are refused on streams."""
    time = relation.order_by[0] if relation.order_by else ""
    if not time or time_type(relation, time) != "INT":
        return relation
    at = position(relation, time)
    least = min(row[at] for row in relation.rows)
    rows = [(*row[:at], row[at] - min(least, 0), *row[at + 1 :]) for row in relation.rows]
    return replace(relation, rows=rows)


def file_of(world: World, number: int) -> slt.CaseFile:
    relations = {r.name.lower(): r for r in map(from_zero, world.relations)}
    feeds = [(r.name, r.rows) for r in relations.values()]
    return slt.CaseFile(Path(f"seed-{CORPUS}-world-{number}"), relations, feeds, [], [])


@pytest.fixture(scope="module")
def asked(
    spark: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Runs, list[Case]]:
    specs = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    numbers = [spec.params["number"] for spec in specs if spec is not None]
    cases = questions(LONG if max(numbers) >= USUAL else USUAL)
    chosen = [cases[n] for n in numbers if not cases[n].reads.whole]
    return Runs(spark, tmp_path_factory.mktemp("random"), [(case, "random") for case in chosen]), cases


@pytest.mark.parametrize("number", NUMBERS)
def test_random_query(asked: tuple[Runs, list[Case]], number: int) -> None:
    runs, cases = asked
    case = cases[number]
    place = f"CSQL_RANDOM_SEED={CORPUS} CSQL_STREAM_SEED={SEED} query {number}\n{case.query.sql}"
    if case.reads.whole:
        outcome, _ = runs.outcome(case, "random")
        assert outcome.error is not None, f"{place}\nanswered {outcome.rows}"
    else:
        told = runs.wrong(case, "random")
        assert told is None, f"{place}\n{told}"
