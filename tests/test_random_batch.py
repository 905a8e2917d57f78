"""Random queries in batch against the oracle.

CSQL_RANDOM_SEED chooses another corpus ("new" draws one and tells it), CSQL_RANDOM_QUERIES its size. A failing query
is written with its data as a case file below .build/random, ready to be moved to tests/cases.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import slt
from tests.batch import INTERPRETED, Batch
from tests.oracle import Answer, Catalog, answer
from tests.random_clauses import CLAUSES
from tests.random_data import World
from tests.random_queries import QUERIES_PER_WORLD, RandomQuery, corpus
from tests.values import difference

DEFAULT_SEED, DEFAULT_QUERIES = 20260101, 330  # of all tests, the long ones too
SEED = int(os.environ.get("CSQL_RANDOM_SEED", str(DEFAULT_SEED)))
USUAL = int(os.environ.get("CSQL_RANDOM_QUERIES", "150"))
QUERIES = max(USUAL, DEFAULT_QUERIES)
ANY_ORDER = bool(os.environ.get("CSQL_ANY_ORDER"))
DUMPS = Path(__file__).parents[1] / ".build" / "random"


NUMBERS = [
    pytest.param(
        n,
        id=f"seed-{SEED}-query-{n}",
        marks=[
            pytest.mark.xdist_group(f"random batch {n // QUERIES_PER_WORLD}"),
            *[pytest.mark.long] * (n >= USUAL),
        ],
    )
    for n in range(QUERIES)
]


@cache
def questions() -> list[tuple[World, RandomQuery]]:
    return list(corpus(SEED, QUERIES))


class Latest:
    """The catalog and the session of the world that was asked last; every other world runs without generated code."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.world: World | None = None

    def enter(self, world: World, interpreted: bool) -> None:
        if world is not self.world:
            self.world = world
            self.catalog = Catalog.of(world.relations)
            conf = INTERPRETED if interpreted else {}
            self.batch = Batch(self.spark, world.relations, partitions=3, conf=conf)


@pytest.fixture(scope="module")
def latest(spark: Any) -> Latest:
    return Latest(spark)


def dumped(number: int, world: World, query: RandomQuery, right: Answer) -> Path:
    """The failing query as a case file, with the relations that it names."""
    named = [r for r in world.relations if f" {r.name} " in f" {query.sql} "]
    DUMPS.mkdir(parents=True, exist_ok=True)
    path = DUMPS / f"seed-{SEED}-query-{number}.slt"
    name = f"seed-{SEED}-query-{number}"
    path.write_text(slt.dump(named, [(name, query.sql, right.rows, right.ordered)]), encoding="utf-8")
    return path


@pytest.mark.parametrize("number", NUMBERS)
def test_random_query(latest: Latest, number: int) -> None:
    world, query = questions()[number]
    latest.enter(world, interpreted=number // QUERIES_PER_WORLD % 2 == 1)
    right = answer(latest.catalog, query.sql)
    try:
        told = difference(right.rows, latest.batch.answer(query.sql), right.ordered and not ANY_ORDER)
    except (
        Exception
    ) as error:  # any failure of the engine is a finding: it is told with the case to repeat it
        told = f"{type(error).__name__}: {error}"
    if told:
        path = dumped(number, world, query, right)
        pytest.fail(
            f"CSQL_RANDOM_SEED={SEED} query {number}, case file {path}\n{query.sql}\n{told}", pytrace=False
        )


def test_the_corpus_uses_every_clause() -> None:
    used = Counter(tag for _, query in corpus(DEFAULT_SEED, DEFAULT_QUERIES) for tag in query.tags)
    assert {clause: used[clause] for clause in CLAUSES if used[clause] < 10} == {}
    assert set(used) <= CLAUSES


def test_a_seed_gives_the_same_corpus() -> None:
    assert [q.sql for _, q in corpus(7, 40)] == [q.sql for _, q in corpus(7, 40)]


def test_a_dump_is_a_case_file(tmp_path: Path) -> None:
    for number, (world, query) in enumerate(corpus(5, 12)):
        right = answer(Catalog.of(world.relations), query.sql)
        path = tmp_path / f"{number}.slt"
        path.write_text(
            slt.dump(world.relations, [("it", query.sql, right.rows, right.ordered)]), encoding="utf-8"
        )
        read = slt.read(path)
        assert [r.rows for r in read.relations.values()] == [r.rows for r in world.relations]
        assert difference(read.queries[0].rows, right.rows, read.queries[0].ordered) is None
