"""Random calls of aggregates written in SQL against the oracle: in batch, and on streams under random cuts.

CSQL_RANDOM_SEED chooses another corpus, CSQL_RANDOM_AGGREGATES its size, CSQL_STREAM_SEED other cuts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import python_twins, slt
from tests.batch import INTERPRETED, Batch, error_class_of
from tests.oracle import Catalog, answer
from tests.random_aggregates import QUERIES_PER_WORLD, USED, corpus
from tests.random_data import World
from tests.random_queries import RandomQuery
from tests.stream_cases import SEED, Case, Runs
from tests.stream_reading import reading
from tests.test_random_stream import from_zero
from tests.values import difference

CORPUS = int(os.environ.get("CSQL_RANDOM_SEED", "20260303"))
QUERIES = int(os.environ.get("CSQL_RANDOM_AGGREGATES", "120"))
ASKED_IN_PYTHON = 4  # of the queries of each world, in the usual tests
STREAMED = 3  # of how many queries one runs on streams in the usual tests
KEPT = Path(__file__).parents[1] / ".build" / "random"


def groups(kind: str, number: int) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(f"random aggregates {kind} {number // QUERIES_PER_WORLD}")


NUMBERS = [pytest.param(n, id=f"seed-{CORPUS}-query-{n}", marks=groups("batch", n)) for n in range(QUERIES)]
ON_STREAMS = [
    pytest.param(
        n,
        id=f"seed-{CORPUS}-query-{n}",
        marks=[groups("stream", n), *[pytest.mark.long] * (n % STREAMED > 0)],
    )
    for n in range(QUERIES)
]


IN_PYTHON = [
    pytest.param(
        n,
        id=f"seed-{CORPUS}-query-{n}",
        marks=[groups("python", n), *[pytest.mark.long] * (n % QUERIES_PER_WORLD >= ASKED_IN_PYTHON)],
    )
    for n in range(QUERIES)
]


@cache
def questions() -> list[tuple[World, RandomQuery]]:
    return list(corpus(CORPUS, QUERIES))


@cache
def world_of(number: int) -> tuple[slt.CaseFile, Catalog]:
    """The world of this query and its neighbours."""
    file = file_of(questions()[number][0], number // QUERIES_PER_WORLD)
    return file, Catalog.of(file.relations.values())


@cache
def case_of(number: int) -> Case:
    """A query with its right answer and the file it could stand in."""
    file, catalog = world_of(number // QUERIES_PER_WORLD * QUERIES_PER_WORLD)
    sql = questions()[number][1].sql
    right = answer(catalog, sql)
    flags = [] if right.ordered else ["unordered"]
    asked = slt.Query(f"query-{number}", sql, right.rows, flags, {}, {}, 0, (0, 0))
    return Case(file, asked, reading(sql, file.relations))


def file_of(world: World, number: int) -> slt.CaseFile:
    relations = {}
    for relation in map(from_zero, world.relations):
        window = " WINDOW " in (relation.query or "").split("AGGREGATE")[0]
        is_aggregate = relation.kind == "aggregate"
        key = slt.aggregate_key(relation.name, window) if is_aggregate else relation.name.lower()
        relations[key] = relation
    feeds = [(r.name, r.rows) for r in relations.values() if r.kind != "aggregate"]
    return slt.CaseFile(Path(f"aggregates-{CORPUS}-world-{number}"), relations, feeds, [], [])


class Latest:
    """The session of the world that was asked last."""

    def __init__(self, spark: Any, prepare: Callable[[Any], None] = lambda session: None) -> None:
        self.spark, self.prepare = spark, prepare
        self.file: slt.CaseFile | None = None

    def of(self, file: slt.CaseFile) -> Batch:
        if file is not self.file:
            self.file = file
            self.batch = Batch(self.spark, file.relations.values(), partitions=2, conf=INTERPRETED)
            self.prepare(self.batch.spark)
        return self.batch


@pytest.fixture(scope="module")
def latest(spark: Any) -> Latest:
    return Latest(spark)


@pytest.fixture(scope="module")
def latest_in_python(spark: Any) -> Latest:
    return Latest(spark, python_twins.register)


@pytest.fixture(scope="module")
def runs(spark: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    own = [item for item in request.session.items if item.path == request.path]
    items = [item for item in own if getattr(item, "originalname", "") == "test_on_streams"]
    numbers = [item.callspec.params["number"] for item in items]  # type: ignore[attr-defined]
    chosen = [(case_of(n), "random") for n in numbers]
    return Runs(spark, tmp_path_factory.mktemp("aggregates"), chosen)


@pytest.mark.parametrize("number", NUMBERS)
def test_in_batch(latest: Latest, number: int) -> None:
    check(latest, number)


@pytest.mark.parametrize("number", IN_PYTHON)
def test_in_batch_in_python(latest_in_python: Latest, number: int) -> None:
    check(latest_in_python, number)


def check(latest: Latest, number: int) -> None:
    case = case_of(number)
    try:
        actual = latest.of(case.file).answer(case.query.sql)
        told = difference(case.query.rows, actual, case.query.ordered)
    except (
        Exception
    ) as error:  # any failure of the engine is a finding: it is told with the case to repeat it
        if error_class_of(error) == "CSQL_NOT_SUPPORTED_YET" and "ACTIVE EXPIRATION" in case.query.sql:
            pytest.skip("a class of Python's beside another window")
        told = f"{type(error).__name__}: {error}"
    if told:
        KEPT.mkdir(parents=True, exist_ok=True)
        path = KEPT / f"aggregates-{CORPUS}-query-{number}.slt"
        asked = [(case.query.name, case.query.sql, case.query.rows, case.query.ordered)]
        path.write_text(slt.dump(case.file.relations.values(), asked), encoding="utf-8")
        pytest.fail(
            f"CSQL_RANDOM_SEED={CORPUS} query {number}, case file {path}\n{case.query.sql}\n{told}",
            pytrace=False,
        )


@pytest.mark.parametrize("number", ON_STREAMS)
def test_on_streams(runs: Runs, number: int) -> None:
    case = case_of(number)
    told = runs.wrong(case, "random")
    assert told is None, (
        f"CSQL_RANDOM_SEED={CORPUS} CSQL_STREAM_SEED={SEED} query {number}\n{case.query.sql}\n{told}"
    )


def test_the_corpus_uses_everything() -> None:
    used = Counter(tag for _, query in corpus(20260303, 120) for tag in query.tags)
    assert {tag: used[tag] for tag in USED if used[tag] < 5} == {}
    assert set(used) <= USED


def test_a_seed_gives_the_same_corpus() -> None:
    assert [q.sql for _, q in corpus(7, 25)] == [q.sql for _, q in corpus(7, 25)]


def test_every_query_reads_a_stream() -> None:
    for number, (_, query) in enumerate(questions()):
        reads = reading(query.sql, world_of(number // QUERIES_PER_WORLD * QUERIES_PER_WORLD)[0].relations)
        assert reads.streams, query.sql
        assert not reads.whole, query.sql
