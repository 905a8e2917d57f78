"""The queries of the case files, and their runs on streams: once for all that read the same streams."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from tests import slt
from tests.batch import INTERPRETED
from tests.oracle import Catalog, answer
from tests.oracle.streams import number_of
from tests.stream import Outcome, Streaming
from tests.stream_cuts import Cut, arrivals, cut, position
from tests.stream_expected import beyond, wrong
from tests.stream_reading import Reading, reading, time_type
from tests.stream_shrink import fed_by, shrunk, text

SEED = int(os.environ.get("CSQL_STREAM_SEED", "20260101"))
SIDE_BY_SIDE = 24  # queries in one streaming query
BATCHES = 8  # of a cut in single rows
SHRINKS = int(os.environ.get("CSQL_STREAM_SHRINKS", "2"))  # failures for which the smallest cut is looked for
TRIES = 24  # runs for each of them


@dataclass(frozen=True, eq=False)
class Case:
    file: slt.CaseFile
    query: slt.Query
    reads: Reading

    @property
    def name(self) -> str:
        return f"{self.file.label}:{self.query.name}"

    @property
    def before_zero(self) -> bool:
        """A stream has times before 1970, which Spark's watermark cannot carry; integers may be negative."""
        streams = [(self.file.relations[n], t) for n, t in self.reads.streams.items() if t is not None]
        times = [row[position(relation, time)] for relation, time in streams for row in relation.rows]
        dates = [time for time in times if time is not None and not isinstance(time, int)]
        return any(number_of(time) < 0 for time in dates)

    @property
    def group(self) -> tuple[object, ...]:
        return self.file.label, self.reads.key(), tuple(sorted(self.query.settings.items()))


def cases_of(file: slt.CaseFile) -> list[Case]:
    reads = [reading(q.sql, file.relations, q.args) for q in file.queries]
    share(reads, file)
    return [Case(file, q, r) for q, r in zip(file.queries, reads, strict=True)]


def share(reads: Sequence[Reading], file: slt.CaseFile) -> None:
    """Streams that some query reads together, and views, are there for all queries: so these run side by side.

    Times of one type only: Spark has one watermark for all streams.
    """
    views = {name for name, r in file.relations.items() if r.kind == "view"}
    tables = set().union(*(r.tables for r in reads if r.derived & views))
    met = {name: time for r in reads if len(r.streams) > 1 for name, time in r.streams.items()}
    for r in reads:
        kinds = {time_type(file.relations[name], time) for name, time in r.streams.items() if time}
        more = {n: t for n, t in met.items() if t and time_type(file.relations[n], t) in kinds}
        if (
            len(kinds) == 1
            and set(r.streams) <= set(more)
            and not set(more) & r.tables
            and r.derived <= views
        ):
            r.streams = dict(more)
            r.declared = {name for name in more if file.relations[name].kind == "stream"}
            r.derived = set(views)
            r.tables |= tables


CASES = [case for file in slt.case_files() for case in cases_of(file)]


def tenth() -> set[tuple[object, ...]]:
    """Groups with a tenth of the cases, chosen by the seed: cases of one group run at the cost of one."""
    sizes = Counter(case.group for case in CASES)
    chosen: set[tuple[object, ...]] = set()
    for group in Random(SEED).sample(sorted(sizes, key=str), len(sizes)):
        if 10 * sum(sizes[one] for one in chosen) >= len(CASES):
            break
        chosen.add(group)
    return chosen


SAMPLED = tenth()


class Runs:
    """Outcomes by case and kind of cut; asking for one runs all wanted ones of its group."""

    def __init__(
        self, spark: Any, home: Path, wanted: Sequence[tuple[Case, str]], most: int = BATCHES
    ) -> None:
        self.spark = spark
        self.home = home
        self.wanted = list(wanted)
        self.most = most
        self.shrinks = SHRINKS
        self.made: dict[tuple[str, str], tuple[Outcome, Cut]] = {}

    def cut(self, case: Case, kind: str) -> Cut:
        items = arrivals(case.file.feeds, case.file.relations, case.reads)
        return cut(kind, items, Random(f"{SEED} {case.group} {kind}"), self.most)

    def streaming(self, cases: Sequence[Case]) -> Streaming:
        tables = {name for case in cases for name in case.reads.tables}
        reads = replace(cases[0].reads, tables=tables)
        return Streaming(self.spark, self.home, cases[0].file.relations, reads, self.conf(cases[0]))

    def conf(self, case: Case) -> dict[str, str]:
        """Two partitions for some groups: keys must stay together, and what has no key in one place."""
        partitions = Random(f"{SEED} {case.group} partitions").choice(["1", "1", "2"])
        return {**INTERPRETED, "spark.sql.shuffle.partitions": partitions}

    def run(self, case: Case, kind: str) -> None:
        asked = [c for c, k in self.wanted if k == kind and c.group == case.group]
        at = asked.index(case) // SIDE_BY_SIDE * SIDE_BY_SIDE if case in asked else 0
        together = asked[at : at + SIDE_BY_SIDE] if case in asked else [case]
        made = self.cut(case, kind)
        outcomes = self.streaming(together).answers([c.query for c in together], made)
        for one, outcome in zip(together, outcomes, strict=True):
            self.made[one.name, kind] = outcome, made

    def outcome(self, case: Case, kind: str) -> tuple[Outcome, Cut]:
        if (case.name, kind) not in self.made:
            self.run(case, kind)
        return self.made[case.name, kind]

    def wrong(self, case: Case, kind: str) -> str | None:
        """What is wrong, with the smallest cut that was found to fail."""
        outcome, made = self.outcome(case, kind)
        told = self.judged(case, case.file.relations, case.query, outcome)
        if told is None:
            return None
        if self.shrinks > 0:
            self.shrinks -= 1
            made, told = self.smallest(case, made, told)
        return f"{told}\n\n{text(made, case.file.relations, case.reads, case.query)}"

    def judged(
        self, case: Case, relations: Mapping[str, slt.Relation], query: slt.Query, outcome: Outcome
    ) -> str | None:
        return wrong(query, outcome, case.reads, beyond(query, relations, case.reads))

    def smallest(self, case: Case, made: Cut, told: str) -> tuple[Cut, str]:
        said = {made: told}
        kind = told.split()[0]

        def fails(smaller: Cut) -> bool:
            relations = fed_by(smaller, case.file.relations, case.reads)
            catalog = Catalog.of(relations.values(), case.query.settings)
            query = replace(case.query, rows=answer(catalog, case.query.sql, case.query.args).rows)
            streaming = Streaming(self.spark, self.home, relations, case.reads, self.conf(case))
            now = self.judged(case, relations, query, streaming.answers([query], smaller)[0])
            said[smaller] = now or ""
            return now is not None and now.split()[0] == kind

        smallest = shrunk(made, fails, TRIES)
        return smallest, said[smallest]
