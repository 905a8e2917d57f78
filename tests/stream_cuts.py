"""Cuts of arriving rows into micro-batches, the slack that each needs, and the row that ends a stream."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.oracle.streams import TIMESTAMPS, number_of
from tests.slt import Relation
from tests.stream_reading import Reading, time_type
from tests.values import Row

Item = tuple[str, Row]  # the relation's name in lower case, and a row that arrives there
KINDS = ("one", "rows", "empty", "random")
END = dt.datetime(2999, 1, 1)  # later than any instant of the cases
LAST_BUT_ONE = dt.datetime(2900, 1, 1)
COPIES = 40


@dataclass(frozen=True)
class Cut:
    """Micro-batches of rows; the query is stopped and started again before each batch of `restarts`.

    `apart`: the rows that end the streams come in a micro-batch of their own, else with the last rows.
    """

    label: str
    batches: tuple[tuple[Item, ...], ...]
    restarts: tuple[int, ...] = ()
    apart: bool = True

    def merged(self, at: int) -> Cut:
        """Batch `at` and the next one as one batch."""
        joined = (*self.batches[:at], self.batches[at] + self.batches[at + 1], *self.batches[at + 2 :])
        restarts = tuple(sorted({r - (r > at) for r in self.restarts} - {0}))
        return replace(self, batches=joined, restarts=restarts)

    def without(self, batch: int, row: int) -> Cut:
        """One row less."""
        kept = self.batches[batch][:row] + self.batches[batch][row + 1 :]
        return replace(self, batches=(*self.batches[:batch], kept, *self.batches[batch + 1 :]))


def arrivals(
    feeds: Sequence[tuple[str, Sequence[Row]]], relations: Mapping[str, Relation], reads: Reading
) -> list[Item]:
    """The rows of the streams that a query reads, in the order of the file.

    What has no declaration cannot have a slack: it arrives in the order of its time.
    """
    waiting: dict[str, Iterator[Row]] = {}
    for name, time in reads.streams.items():
        rows = relations[name].rows
        sort = time is not None and name not in reads.declared
        waiting[name] = iter(in_time(relations[name], time) if sort and time else rows)
    return [(n.lower(), next(waiting[n.lower()])) for n, rows in feeds if n.lower() in waiting for _ in rows]


def in_time(relation: Relation, time: str) -> list[Row]:
    at = position(relation, time)
    first = min((number_of(row[at]) for row in relation.rows if row[at] is not None), default=0)
    return sorted(relation.rows, key=lambda row: first if row[at] is None else number_of(row[at]))


def position(relation: Relation, column: str) -> int:
    return next(i for i, c in enumerate(relation.columns) if c.name.lower() == column.lower())


def cut(kind: str, items: Sequence[Item], rng: Random, most: int = 10**6) -> Cut:
    """One batch; one row per batch; empty batches between; or random batches with a restart.

    `most` bounds the number of batches: the rows that are left come in the last one.
    """
    rows = tuple(items)
    if kind == "one":
        return Cut(kind, (rows,), apart=False)
    if kind == "rows":
        single = tuple((row,) for row in rows[: most - 1])
        return Cut(kind, (*single, rows[most - 1 :]) if len(rows) >= most else single or ((),))
    if kind == "empty":
        middle = len(rows) // 2
        return Cut(kind, ((), rows[:middle], (), (), rows[middle:], ()))
    edges = sorted(rng.randint(0, len(rows)) for _ in range(rng.randint(1, min(2, most))))
    batches = tuple(rows[a:b] for a, b in zip([0, *edges], [*edges, len(rows)], strict=True))
    return Cut(kind, batches, (rng.randint(1, len(batches) - 1),), rng.random() < 0.5)


def slack(made: Cut, relation: Relation, time: str | None) -> int:
    """The least slack (µs, days or units) under which no row of this stream comes late."""
    if time is None:
        return 0
    at, most, needed = position(relation, time), None, 0
    for batch in made.batches:
        times = [number_of(r[at]) for n, r in batch if n == relation.name.lower() and r[at] is not None]
        if most is not None and times:
            needed = max(needed, most - min(times))
        most = max([*times, *([most] if most is not None else [])], default=None)
    return needed


def slack_clause(needed: int, type_name: str) -> str:
    if needed == 0:
        return ""
    if type_name in TIMESTAMPS:
        return f" SLACK {-(-needed // 1000)} MILLISECONDS"
    return f" SLACK {needed} DAYS" if type_name == "DATE" else f" SLACK {needed}"


def ending(relation: Relation, time: str, end: dt.datetime = END) -> list[Row]:
    """Rows so late that every answer before them is due; they stay at the watermark and are never released.

    They are copies of the stream's rows, so that a filter that lets any row pass lets one of them pass.
    """
    kind, at = time_type(relation, time), position(relation, time)
    far: Any = end if kind in TIMESTAMPS else end.date() if kind == "DATE" else end.year * 10**5
    if kind == "BIGINT":
        far = end.year * 10**9
    rows = relation.rows or [tuple(None for _ in relation.columns)]
    copies = {repr(row): row for row in ((*r[:at], far, *r[at + 1 :]) for r in rows)}
    return list(copies.values())[:COPIES]
