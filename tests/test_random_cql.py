"""Random queries over several streams, in batch and on streams, against the oracle.

CSQL_RANDOM_SEED chooses another corpus, CSQL_RANDOM_QUERIES its size in batch, CSQL_RANDOM_STREAM_QUERIES on streams.
A query that fails in batch is written with its data as a case file below .build/random, ready to be moved to tests/cases.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import slt
from tests.batch import INTERPRETED, Batch
from tests.oracle import Catalog, answer
from tests.random_cql import PARTS, QUERIES_PER_WORLD, RandomQuery, corpus
from tests.random_cql_data import World
from tests.stream_cases import SEED as CUTS
from tests.stream_cases import Case, Runs
from tests.stream_reading import Reading, reading
from tests.values import difference

DEFAULT_SEED, DEFAULT_QUERIES = 20260303, 220  # of all tests, the long ones too
SEED = int(os.environ.get("CSQL_RANDOM_SEED", str(DEFAULT_SEED)))
USUAL = int(os.environ.get("CSQL_RANDOM_QUERIES", "120"))
QUERIES = max(USUAL, DEFAULT_QUERIES)
ON_STREAMS = int(os.environ.get("CSQL_RANDOM_STREAM_QUERIES", "40"))
ANY_ORDER = bool(os.environ.get("CSQL_ANY_ORDER"))
DUMPS = Path(__file__).parents[1] / ".build" / "random"


def numbers(count: int, usual: int, what: str) -> list[Any]:
    return [
        pytest.param(
            n,
            id=f"seed-{SEED}-query-{n}",
            marks=[
                pytest.mark.xdist_group(f"random cql {what} {n // QUERIES_PER_WORLD}"),
                *[pytest.mark.long] * (n >= usual),
            ],
        )
        for n in range(count)
    ]


@cache
def questions(count: int) -> list[tuple[World, RandomQuery]]:
    return list(corpus(SEED, count))


class Latest:
    """The catalog and the session of the world that was asked last."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.world: World | None = None

    def enter(self, world: World) -> None:
        if world is not self.world:
            self.world = world
            self.catalog = Catalog.of(world.relations)
            self.batch = Batch(self.spark, world.relations, partitions=2, conf=INTERPRETED)


@pytest.fixture(scope="module")
def latest(spark: Any) -> Latest:
    return Latest(spark)


@pytest.mark.parametrize("number", numbers(QUERIES, USUAL, "batch"))
def test_in_batch(latest: Latest, number: int) -> None:
    world, query = questions(QUERIES)[number]
    latest.enter(world)
    right = answer(latest.catalog, query.sql)
    try:
        told = difference(right.rows, latest.batch.answer(query.sql), right.ordered and not ANY_ORDER)
    except (
        Exception
    ) as error:  # any failure of the engine is a finding: it is told with the case to repeat it
        told = f"{type(error).__name__}: {error}"
    if told:
        name = f"cql-seed-{SEED}-query-{number}"
        DUMPS.mkdir(parents=True, exist_ok=True)
        path = DUMPS / f"{name}.slt"
        path.write_text(slt.dump(world.relations, [(name, query.sql, right.rows, right.ordered)]), "utf-8")
        pytest.fail(
            f"CSQL_RANDOM_SEED={SEED} query {number}, case file {path}\n{query.sql}\n{told}", pytrace=False
        )


@cache
def stream_cases() -> list[Case]:
    """The queries as cases, each with its right answer."""
    files: dict[int, tuple[slt.CaseFile, Catalog]] = {}
    cases = []
    for number, (world, query) in enumerate(corpus(SEED + 1, ON_STREAMS)):
        if id(world) not in files:
            files[id(world)] = file_of(world, len(files)), Catalog.of(world.relations)
        file, catalog = files[id(world)]
        rows = answer(catalog, query.sql).rows
        asked = slt.Query(f"query-{number}", query.sql, rows, [], {}, {}, 0, (0, 0))
        cases.append(Case(file, asked, reading_all(query.sql, file)))
    return cases


def reading_all(sql: str, file: slt.CaseFile) -> Reading:
    """What the query reads, and the other streams too: so all queries of a world run side by side."""
    streams = {name: r.order_by[0] for name, r in file.relations.items() if r.kind == "stream"}
    return replace(reading(sql, file.relations), streams=dict(streams), declared=set(streams))


def file_of(world: World, number: int) -> slt.CaseFile:
    """The rows of the streams arrive by turns."""
    relations = {r.name.lower(): r for r in world.relations}
    streams = [r for r in world.relations if r.kind == "stream"]
    turns = range(max(len(r.rows) for r in streams))
    feeds = [(r.name, [r.rows[i]]) for i in turns for r in streams if i < len(r.rows)]
    return slt.CaseFile(Path(f"cql-seed-{SEED + 1}-world-{number}"), relations, feeds, [], [])


@pytest.fixture(scope="module")
def runs(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(spark, tmp_path_factory.mktemp("cql"), [(case, "random") for case in stream_cases()])


@pytest.mark.parametrize("number", numbers(ON_STREAMS, ON_STREAMS, "stream"))
def test_on_streams(runs: Runs, number: int) -> None:
    case = stream_cases()[number]
    told = runs.wrong(case, "random")
    place = f"CSQL_RANDOM_SEED={SEED} CSQL_STREAM_SEED={CUTS} query {number}\n{case.query.sql}"
    assert told is None, f"{place}\n{told}"


def test_the_corpus_uses_every_part() -> None:
    used = Counter(tag for _, query in corpus(DEFAULT_SEED, DEFAULT_QUERIES) for tag in query.tags)
    assert {part: used[part] for part in PARTS if used[part] < 5} == {}
    assert set(used) <= PARTS


def test_a_seed_gives_the_same_corpus() -> None:
    assert [q.sql for _, q in corpus(7, 40)] == [q.sql for _, q in corpus(7, 40)]
