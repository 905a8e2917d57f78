"""Queries over streaming DataFrames: many of them side by side in one streaming query, under one cut."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from tests.slt import Query, Relation
from tests.stream_cuts import END, LAST_BUT_ONE, Cut, Item, ending, slack, slack_clause
from tests.stream_files import schema_text, write_batch
from tests.stream_reading import Reading, time_type
from tests.stream_rows import packed, unpacked
from tests.values import Row

DEADLINE = 240  # seconds for one run; only a query that hangs needs them
STARTS = 100  # of one query that planned failures stop
RUNS = count()


@dataclass
class Outcome:
    """The answer rows of each micro-batch, or the error with which the query failed."""

    batches: dict[int, list[Row]] = field(default_factory=dict)
    error: Exception | None = None

    @property
    def rows(self) -> list[Row]:
        return [row for number in sorted(self.batches) for row in self.batches[number]]


@dataclass
class Streaming:
    """Runs queries that read the same streams; each run has its own folder below `home`, removed when it ends."""

    spark: Any
    home: Path
    relations: Mapping[str, Relation]
    reads: Reading
    conf: Mapping[str, str] = field(default_factory=dict)
    fault: Callable[[int, str], None] | None = None  # may fail before and after a micro-batch is kept

    def answers(self, queries: Sequence[Query], cut: Cut) -> list[Outcome]:
        """All queries in one streaming query; when that fails, each half of them on its own."""
        folder = self.home / f"run-{next(RUNS)}"
        try:
            return self.run(queries, cut, folder)
        except Exception as error:
            if len(queries) == 1:
                return [Outcome(error=error)]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        middle = len(queries) // 2
        return self.answers(queries[:middle], cut) + self.answers(queries[middle:], cut)

    def run(self, queries: Sequence[Query], cut: Cut, folder: Path) -> list[Outcome]:
        """A query that is refused before it starts fails alone, one that fails later takes the others with it."""
        outcomes = [Outcome() for _ in queries]
        for write in self.phases(cut, folder):
            session = self.session(queries[0].settings, cut, folder)
            frames: dict[int, Any] = {}
            for number, (query, outcome) in enumerate(zip(queries, outcomes, strict=True)):
                try:
                    frames[number] = self.frame(session, query)
                except Exception as error:
                    outcome.error = outcome.error or error
            write()
            if frames:
                self.collect(frames, folder / "checkpoint", outcomes)
        return outcomes

    def frame(self, session: Any, query: Query) -> Any:
        frame = session.sql(query.sql, args=dict(query.args) if query.args else None)
        assert frame.isStreaming, "the query reads no stream"
        return frame

    def collect(self, frames: Mapping[int, Any], checkpoint: Path, outcomes: list[Outcome]) -> None:
        """Runs to the end of what has arrived; a micro-batch that runs again replaces its rows."""
        schemas = {number: frame.schema for number, frame in frames.items()}

        def keep(frame: Any, batch: int) -> None:
            rows = frame.collect()
            if self.fault:
                self.fault(batch, "before")
            for number in frames:
                outcomes[number].batches[batch] = [
                    unpacked(r.row, schemas[number]) for r in rows if r.q == number
                ]
            if self.fault:
                self.fault(batch, "after")

        union = reduce(
            lambda a, b: a.unionAll(b), [packed(frame, number) for number, frame in frames.items()]
        )
        writer = (
            union.coalesce(1).writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
        )
        for _ in range(STARTS):
            try:
                return ended(writer.trigger(availableNow=True).start())
            except Exception as error:
                if "planned failure" not in str(error):
                    raise
        raise AssertionError(f"planned failures stopped the query {STARTS} times")

    def phases(self, cut: Cut, folder: Path) -> list[Any]:
        """For each start of the query, what writes the micro-batches that arrive before its end."""
        batches = [[*b] for b in cut.batches]
        if cut.apart:
            batches.append([])
        if self.reads.again:
            batches[-1] += self.ends(LAST_BUT_ONE)
        batches[-1] += self.ends(END)
        edges = [0, *cut.restarts, len(batches)]

        def writer(first: int, last: int) -> Any:
            def write() -> None:
                for number in range(first, last):
                    for name in self.reads.streams:
                        rows = [row for n, row in batches[number] if n == name]
                        write_batch(folder / name, self.relations[name], number, rows)

            return write

        return [writer(a, b) for a, b in pairwise(edges)]

    def ends(self, end: dt.datetime) -> list[Item]:
        timed = [(name, time) for name, time in self.reads.streams.items() if time is not None]
        return [(name, row) for name, time in timed for row in ending(self.relations[name], time, end)]

    def session(self, settings: Mapping[str, str], cut: Cut, folder: Path) -> Any:
        session = self.spark.newSession()
        for key, value in {**self.conf, **settings}.items():
            session.conf.set(key, value)
        for relation in self.relations.values():
            if relation.kind == "aggregate":
                session.sql(relation.query)
        for name in sorted(self.reads.tables):
            relation = self.relations[name]
            session.createDataFrame(relation.rows, schema_text(relation)).coalesce(1).createOrReplaceTempView(
                relation.name
            )
        for name in self.reads.streams:
            relation = self.relations[name]
            (folder / name).mkdir(parents=True, exist_ok=True)
            source = session.readStream.schema(schema_text(relation)).option("maxFilesPerTrigger", 1)
            view = f"{name}_data" if relation.kind == "stream" else relation.name
            source.parquet(str(folder / name)).createOrReplaceTempView(view)
            if relation.kind == "stream":
                self.declare(session, relation, f"SELECT * FROM {view}", self.waits(name, cut))
        for name, relation in self.relations.items():
            if relation.kind == "view" and name in self.reads.derived:
                session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {relation.name} AS {relation.query}")
            elif name in self.reads.derived and relation.query:
                bases = [n for n in self.reads.streams if n in relation.query.lower().split()]
                plain = "[" not in relation.query
                self.declare(session, relation, relation.query, self.waits(bases[0], cut) if plain else "")
        return session

    def waits(self, name: str, cut: Cut) -> str:
        relation, time = self.relations[name], self.reads.streams[name]
        return slack_clause(slack(cut, relation, time), time_type(relation, time)) if time else ""

    def declare(self, session: Any, relation: Relation, source: str, waits: str) -> None:
        order = f" ORDER BY {', '.join(relation.order_by)}" if relation.order_by else ""
        session.sql(f"CREATE OR REPLACE TEMPORARY STREAM {relation.name}{order}{waits} AS {source}")


def ended(query: Any) -> None:
    """Waits for the end of a query, and fails if it failed."""
    try:
        if not query.awaitTermination(DEADLINE):
            raise TimeoutError(f"the query did not end within {DEADLINE} seconds")
    finally:
        query.stop()
