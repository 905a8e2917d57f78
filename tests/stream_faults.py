"""Data, queries and children for the tests that break streaming queries."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.oracle import Catalog, answer
from tests.quick_files import QUICK_FILES
from tests.slt import Column, Relation
from tests.stream_cuts import Cut, ending, slack, slack_clause
from tests.stream_files import schema_text, write_batch
from tests.values import Row

ROOT = Path(__file__).parents[1]
DEADLINE = 180.0  # seconds in which a child must get on
STATE = "spark.sql.streaming.stateStore"
PACKAGE = "org.apache.spark.sql.execution.streaming.state"
PROVIDERS = {
    "hdfs": {f"{STATE}.providerClass": f"{PACKAGE}.HDFSBackedStateStoreProvider"},
    "rocksdb": {f"{STATE}.providerClass": f"{PACKAGE}.RocksDBStateStoreProvider"},
    "rocksdb-changelog": {
        f"{STATE}.providerClass": f"{PACKAGE}.RocksDBStateStoreProvider",
        f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    },
}
QUERIES = {
    "count_by_key": "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM S [Rows 5, Frequency 3 Tuples Partitioned By k] GROUP BY k",
    "tuple_jump": "SELECT COUNT(*) AS n, SUM(v) AS total, MAX(seq) AS top FROM S [Rows 20, Frequency 7 Tuples]",
    "time_jump": "SELECT evaluation_time() AS at, k, COUNT(*) AS n FROM S [Range 10 Seconds, Frequency 5 Seconds] GROUP BY k",
    "nested": "SELECT evaluation_time() AS at, MAX(n) AS n FROM (SELECT k, COUNT(*) AS n FROM S [Range 8 Seconds] GROUP BY k) x [Tumble 10 Seconds]",
    "mixed": "SELECT k, COUNT(*) AS n, SUM(v) AS total FROM S [Range 10 Seconds, Frequency 4 Tuples] GROUP BY k",
}
COLUMNS = [Column("k", "STRING"), Column("v", "BIGINT"), Column("seq", "INT"), Column("ts", "TIMESTAMP")]


@dataclass
class Plan:
    """Micro-batches of a stream S, a little out of order; the last one ends the stream."""

    relation: Relation
    batches: list[list[Row]]

    @property
    def cut(self) -> Cut:
        return Cut("plan", tuple(tuple(("s", row) for row in batch) for batch in self.batches[:-1]))

    @property
    def declaration(self) -> str:
        waits = slack_clause(slack(self.cut, self.relation, "ts"), "TIMESTAMP")
        return f"CREATE OR REPLACE TEMPORARY STREAM S ORDER BY ts, seq{waits} AS SELECT * FROM S_data"

    def answers(self) -> dict[str, list[Row]]:
        catalog = Catalog.of([self.relation])
        return {name: answer(catalog, sql).rows for name, sql in QUERIES.items()}


def plan(seed: int, batches: int, rows: int = 6) -> Plan:
    rng = Random(seed)
    at, cut = dt.datetime(2026, 1, 1), []
    for batch in range(batches):
        made = []
        for number in range(rows):
            at += dt.timedelta(milliseconds=rng.choice([0, 250, 500, 1000, 4000]))
            late = at - dt.timedelta(milliseconds=rng.choice([0, 0, 0, 1500, 7000]))
            made.append((rng.choice("aaabbcd"), rng.randint(0, 99), batch * rows + number, late))
        cut.append(made)
    relation = Relation("stream", "S", COLUMNS, ["ts", "seq"], None, [row for batch in cut for row in batch])
    return Plan(relation, [*cut, ending(relation, "ts")])


@dataclass
class Child:
    """A driver process; its Java process belongs to the same group and dies with it."""

    home: Path
    spec: dict[str, Any]
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        path = self.home / "spec.json"
        path.write_text(json.dumps(self.spec), encoding="utf-8")
        self.log = (self.home / "child.log").open("ab")
        command = [sys.executable, "-m", "tests.stream_child", str(path)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()

    @property
    def done(self) -> bool:
        return (self.home / f"done-{self.process.pid}").exists()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Until the condition holds or all is done; a child that ends before, or commits nothing, is a failure."""
        end, before = time.monotonic() + DEADLINE, self.commits
        while not condition() and not self.done:
            if self.process.poll() is not None:
                raise AssertionError(f"the child ended with {self.process.returncode}\n{self.told()}")
            if time.monotonic() > end:
                if self.commits == before:
                    self.kill()
                    raise TimeoutError(f"the child hangs\n{self.told()}")
                end, before = time.monotonic() + DEADLINE, self.commits
            time.sleep(0.003)

    @property
    def commits(self) -> int:
        """Micro-batches that are done, of all queries."""
        return sum(progress(self.home, query, "commits") for query in self.spec["queries"])

    def finish(self) -> None:
        self.wait_until(lambda: False)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(DEADLINE)
        self.log.close()

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(DEADLINE)
        self.log.close()

    def told(self) -> str:
        return (self.home / "child.log").read_text(encoding="utf-8", errors="replace")[-6000:]


def spec(home: Path, declared: Plan, provider: str, **more: Any) -> dict[str, Any]:
    conf = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # starts in half the time
        "spark.log.level": "ERROR",
        # a driver killed while it writes its very first file leaves a part of it, which Spark takes for another query
        "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
        **PROVIDERS[provider],
        **({} if provider == "hdfs" else QUICK_FILES),  # one of them as users have it
    }
    return {
        "home": str(home),
        "schema": schema_text(declared.relation),
        "declaration": declared.declaration,
        "queries": QUERIES,
        "conf": conf,
        "master": "local[2]",
        "flaky": 0,
        **more,
    }


def feed(home: Path, declared: Plan, numbers: Sequence[int]) -> None:
    for number in numbers:
        write_batch(home / "source", declared.relation, number, declared.batches[number])


def progress(home: Path, query: str, kind: str) -> int:
    """How many files of a kind a query has written: a moment in its life."""
    below = home / "out" / query if kind == "out" else home / "checkpoint" / query / kind
    return sum(1 for path in below.rglob("*") if path.suffix != ".crc") if below.is_dir() else 0
