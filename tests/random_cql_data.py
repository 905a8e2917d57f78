"""Small worlds for random queries over several streams: streams of one kind of time, and a table."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.random_data import START, maybe_null, static, steps
from tests.slt import Column, Relation

COLUMNS = {"k": "str", "g": "int", "v": "int", "seq": "int"}
KINDS = {"TIMESTAMP": "ts", "TIMESTAMP_NTZ": "ts", "INT": "t", "DATE": "d"}


@dataclass
class World:
    relations: list[Relation]
    streams: list[str]
    kind: str  # of time, as lengths know it
    time: str  # the time column


def instant(at: int, type_name: str) -> Any:
    if type_name == "INT":
        return at
    if type_name == "DATE":
        return START.date() + dt.timedelta(days=at)
    return START + dt.timedelta(seconds=at)


def stream(rng: Random, name: str, type_name: str) -> Relation:
    """Few rows with equal values and ties, so that streams meet; seq orders the tuples of one instant."""
    rows = []
    for number, at in enumerate(steps(rng, rng.randint(5, 10), [0, 1, 1, 2, 3, 5])):
        key = maybe_null(rng, rng.choice(["a", "b", "b", "c"]), 0.08)
        rows.append(
            (key, rng.randint(0, 1), maybe_null(rng, rng.randint(0, 5)), number, instant(at + 6, type_name))
        )
    columns = [Column("k", "STRING"), Column("g", "INT"), Column("v", "INT"), Column("seq", "INT")]
    time = KINDS[type_name]
    return Relation("stream", name, [*columns, Column(time, type_name)], [time, "seq"], None, rows)


def world(rng: Random) -> World:
    type_name = rng.choice(["TIMESTAMP", "TIMESTAMP", "INT", "DATE", "TIMESTAMP_NTZ"])
    names = ["P", "Q", "R"]
    relations = [*(stream(rng, name, type_name) for name in names), static(rng)]
    kind = "TIMESTAMP" if type_name == "TIMESTAMP_NTZ" else type_name
    return World(relations, names, kind, KINDS[type_name])
