"""Small random streams and tables for random queries: one of each kind of time, all totally ordered."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.slt import Column, Relation

START = dt.datetime(2026, 1, 1)


@dataclass(frozen=True)
class Source:
    """What a query may put into FROM: its text, its columns by kind, and what kind of time it has."""

    text: str
    columns: dict[str, str]  # name to int, double, str or time
    time: str  # TIMESTAMP, DATE, INT, or nothing for latent
    unique: str = ""  # a column whose values are all different
    on: str = ""  # a column that On may name, its type is DATE
    tags: frozenset[str] = field(default_factory=frozenset)

    def of(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.columns.items() if kind in kinds]


def maybe_null(rng: Random, value: Any, share: float = 0.12) -> Any:
    return None if rng.random() < share else value


def values(rng: Random, number: int) -> list[Any]:
    """k, g, v, x and the unique seq."""
    key = maybe_null(rng, rng.choice(["a", "b", "b", "c", "d e"]), 0.08)
    double = maybe_null(rng, rng.choice([rng.randint(-40, 40) / 4, round(rng.uniform(-9, 9), 3)]))
    return [key, rng.randint(0, 2), maybe_null(rng, rng.randint(-9, 30)), double, number]


BASE = [
    Column("k", "STRING"),
    Column("g", "INT"),
    Column("v", "INT"),
    Column("x", "DOUBLE"),
    Column("seq", "INT"),
]
KINDS = {"k": "str", "g": "int", "v": "int", "x": "double", "seq": "int"}


def steps(rng: Random, rows: int, gaps: list[int]) -> list[int]:
    """Times that never decrease, with ties and gaps."""
    at, times = rng.randint(-5, 5), []
    for _ in range(rows):
        at += rng.choice(gaps)
        times.append(at)
    return times


def stream(rng: Random, name: str, type_name: str, time: str, gaps: list[int]) -> Relation:
    """A declared stream, fed out of order; seq orders the tuples of one instant."""
    rows = []
    for number, at in enumerate(steps(rng, rng.randint(5, 36), gaps)):
        when: Any = at
        if type_name == "DATE":
            when = START.date() + dt.timedelta(days=at)
        elif type_name != "INT":
            when = START + dt.timedelta(milliseconds=at * 500)
        rows.append((*values(rng, number), when))
    rng.shuffle(rows)
    return Relation("stream", name, [*BASE, Column(time, type_name)], [time, "seq"], None, rows)


def undeclared(rng: Random) -> Relation:
    """A table with one timestamp column, no two rows at one instant, and a date."""
    rows = []
    for number, at in enumerate(sorted(rng.sample(range(-20, 120), rng.randint(5, 30)))):
        day = START.date() + dt.timedelta(days=number // 3)
        rows.append((*values(rng, number), START + dt.timedelta(seconds=at), day))
    columns = [*BASE, Column("ts", "TIMESTAMP"), Column("d", "DATE")]
    return Relation("table", "U", columns, [], None, rows)


def latent(rng: Random) -> Relation:
    return Relation(
        "table", "L", list(BASE), [], None, [tuple(values(rng, n)) for n in range(rng.randint(5, 30))]
    )


def static(rng: Random) -> Relation:
    keys = ["a", "b", "c", "zz", None]
    rows = [(rng.choice(keys), 10 * n) for n in range(rng.randint(0, 6))]
    return Relation("table", "T", [Column("tk", "STRING"), Column("w", "INT")], [], None, rows)


@dataclass
class World:
    """Relations that many queries share."""

    relations: list[Relation]
    sources: list[Source]


def world(rng: Random) -> World:
    relations = [
        stream(rng, "S", "TIMESTAMP", "ts", [0, 0, 1, 1, 2, 3, 5, 9, 30]),
        stream(rng, "Z", "TIMESTAMP_NTZ", "at", [0, 1, 2, 4, 20]),
        stream(rng, "N", "INT", "t", [0, 0, 1, 1, 2, 3, 7, 25]),
        stream(rng, "D", "DATE", "d", [0, 0, 1, 1, 2, 5, 12]),
        undeclared(rng),
        latent(rng),
        static(rng),
    ]
    sources = [
        Source("S", {**KINDS, "ts": "time"}, "TIMESTAMP", "seq"),
        Source("S", {**KINDS, "ts": "time"}, "TIMESTAMP", "seq"),
        Source("Z", {**KINDS, "at": "time"}, "TIMESTAMP", "seq"),
        Source("N", {**KINDS, "t": "int"}, "INT", "seq"),
        Source("D", {**KINDS, "d": "time"}, "DATE", "seq"),
        Source("U", {**KINDS, "ts": "time"}, "TIMESTAMP", "seq", on="d"),
        Source("L", dict(KINDS), "", "seq"),
    ]
    return World(relations, sources)
