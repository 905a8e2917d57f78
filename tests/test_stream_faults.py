"""Streaming queries that are killed, whose sink fails, or whose tasks fail, answer as if nothing had happened."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.slt import Query
from tests.stream import Outcome, Streaming
from tests.stream_faults import PROVIDERS, QUERIES, Child, Plan, feed, plan, progress, spec
from tests.stream_reading import reading
from tests.values import Row, difference

SEED = int(os.environ.get("CSQL_STREAM_SEED", "20260101"))
MOMENTS = ("offsets", "commits", "state", "out")
BATCHES_PER_ROUND = 3
KILLS = {"hdfs": 7, "rocksdb": 6, "rocksdb-changelog": 7}
MANY_KILLS = {"hdfs": 67, "rocksdb": 66, "rocksdb-changelog": 67}


@cache
def planned(batches: int) -> tuple[Plan, dict[str, list[Row]]]:
    made = plan(SEED, batches)
    return made, made.answers()


def compare(expected: dict[str, list[Row]], actual: dict[str, list[Row]]) -> None:
    told = {name: difference(rows, actual[name], ordered=False) for name, rows in expected.items()}
    wrong = [f"{name}: {QUERIES[name]}\n{text}" for name, text in told.items() if text]
    assert not wrong, f"CSQL_STREAM_SEED={SEED}\n" + "\n".join(wrong)


def written(spark: Any, home: Path) -> dict[str, list[Row]]:
    """What readers of the result folders see."""
    return {
        name: [tuple(r) for r in spark.read.parquet(str(home / "out" / name)).collect()] for name in QUERIES
    }


def kill_and_finish(home: Path, provider: str, kills: int, declared: Plan, rng: Random) -> None:
    """Before each kill some rows arrive; the next child starts while its predecessor still runs."""
    told = spec(home, declared, provider)
    child = Child(home, told)
    spare = child
    try:
        for number in range(kills):
            feed(home, declared, range(number * BATCHES_PER_ROUND, (number + 1) * BATCHES_PER_ROUND))
            query, kind, more = rng.choice(list(QUERIES)), rng.choice(MOMENTS), rng.randint(1, 3)
            before = progress(home, query, kind)
            child.go()
            spare = Child(home, told)
            child.wait_until(lambda q=query, k=kind, n=before + more: progress(home, q, k) >= n)  # type: ignore[misc]
            child.kill()
            child = spare
        feed(home, declared, [len(declared.batches) - 1])
        child.go()
        child.finish()
    finally:
        child.kill()
        spare.kill()


def test_queries_answer_when_nothing_breaks(spark: Any, tmp_path: Path) -> None:
    declared, expected = planned(KILLS["hdfs"] * BATCHES_PER_ROUND)
    assert all(len(rows) >= 10 for rows in expected.values())
    compare(expected, {name: o.rows for name, o in in_process(spark, tmp_path, declared, {}).items()})


def in_process(
    spark: Any, home: Path, declared: Plan, conf: dict[str, str], **more: Any
) -> dict[str, Outcome]:
    relations = {"s": declared.relation}
    asked = [Query(name, sql, [], [], {}, {}, 0, (0, 0)) for name, sql in QUERIES.items()]
    streaming = Streaming(spark, home, relations, reading(asked[0].sql, relations), conf, **more)
    outcomes = streaming.answers(asked, declared.cut)
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    return dict(zip(QUERIES, outcomes, strict=True))


@pytest.mark.parametrize(
    "provider", [pytest.param(p, marks=pytest.mark.xdist_group(f"kills {p}")) for p in PROVIDERS]
)
@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.long)], ids=["few", "many"])
def test_killed_drivers(spark: Any, tmp_path: Path, provider: str, many: bool) -> None:
    kills = (MANY_KILLS if many else KILLS)[provider]
    declared, expected = planned(kills * BATCHES_PER_ROUND)
    kill_and_finish(tmp_path, provider, kills, declared, Random(f"{SEED} {provider}"))
    compare(expected, written(spark, tmp_path))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_failing_sink(spark: Any, tmp_path: Path, provider: str) -> None:
    """The sink fails before or after it has kept a micro-batch, at most twice for each."""
    declared, expected = planned(6)
    rng, failed = Random(f"{SEED} {provider}"), dict[tuple[int, str], int]()

    def fault(batch: int, moment: str) -> None:
        times = failed.get((batch, moment), 0)
        if times < 1 and rng.random() < 0.4:
            failed[batch, moment] = times + 1
            raise RuntimeError("planned failure of the sink")

    outcomes = in_process(spark, tmp_path, declared, PROVIDERS[provider], fault=fault)
    assert failed
    compare(expected, {name: outcome.rows for name, outcome in outcomes.items()})


@pytest.mark.parametrize("provider", ["hdfs", "rocksdb"])
def test_failing_tasks(spark: Any, tmp_path: Path, provider: str) -> None:
    """Some tasks fail at their first attempt, before and behind the operator that keeps the state."""
    declared, expected = planned(6)
    source = "SELECT k, flaky(v) AS v, seq, ts FROM S_data"
    declaration = declared.declaration.replace("SELECT * FROM S_data", source)
    queries = {name: behind(sql) for name, sql in QUERIES.items()}
    told = spec(
        tmp_path,
        declared,
        provider,
        declaration=declaration,
        queries=queries,
        master="local[2,4]",
        flaky=0.05,
    )
    feed(tmp_path, declared, range(len(declared.batches)))
    child = Child(tmp_path, told)
    try:
        child.go()
        child.finish()
    finally:
        child.kill()
    assert list((tmp_path / "marks").iterdir())
    compare(expected, written(spark, tmp_path))


def behind(sql: str) -> str:
    """The query with its column n passed through the function that fails."""
    names = [part.split(" AS ")[-1] for part in sql[len("SELECT ") : sql.index(" FROM")].split(", ")]
    outputs = ", ".join("flaky(n) AS n" if name == "n" else name for name in names)
    return f"SELECT {outputs} FROM ({sql})"
