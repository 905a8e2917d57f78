"""Part «growth»: how time and memory grow with rows, windows, keys and cores. Polars confirms the answers."""

from __future__ import annotations

from typing import Any

from bench import works
from bench.compare import compare
from bench.data import Data
from bench.engines import Engines, engines
from bench.engines.tables import TABLES
from bench.measure import thrice
from bench.work import OURS, Work

Step = tuple[str, float, Data, list[Work]]  # what grows, how much of it there is, and what is done then
WARM = 8  # runs of each work
CONFIRM = ("Polars, by hand", "Polars")


def run(rows: int) -> dict[str, Any]:
    with engines(TABLES) as two_cores:
        warm_up(two_cores, Data(rows // 16))
        found = [
            *measure(two_cores, [("rows", r, Data(r), usual()) for r in (rows // 16, rows // 4, rows)]),
            *measure(two_cores, [("window", n, Data(rows // 4), windows(n)) for n in (1, 10, 100)]),
            *measure(two_cores, [("keys", n, Data(rows // 16, n), by_key()) for n in (1, 1000, 1_000_000)]),
            *measure(two_cores, [("cores", 2, Data(rows // 4), usual())]),
        ]
    with engines(TABLES, cores=1) as one_core:
        warm_up(one_core, Data(rows // 16))
        found += measure(one_core, [("cores", 1, Data(rows // 4), usual())])
    return {"works": found}


def warm_up(engines: Engines, data: Data) -> None:
    """Otherwise what is measured first would seem to take longer."""
    for work in usual() * WARM:
        engines.of(OURS).run(work.questions[OURS], work.columns, data)


def usual() -> list[Work]:
    return windows(10)


def windows(times: int) -> list[Work]:
    return [
        works.overlapping_tuple_jump(1000 * times, 1000),
        works.time_jump(times),
        works.tuple_slide("AVG", 1000 * times, by_id=False),
        works.tuple_slide("AVG", 10 * times),
        works.time_slide(60 * times),
    ]


def by_key() -> list[Work]:
    return [works.time_jump(10, by="id"), works.tuple_slide("AVG", 100), works.time_slide(600)]


def measure(engines: Engines, steps: list[Step]) -> list[dict[str, Any]]:
    found = []
    for grows, much, data, todo in steps:
        for place, work in enumerate(todo):
            labels = [OURS, next(label for label in CONFIRM if label in work.questions)]
            compared = compare(engines, work, data, f"{grows} {much:,}", labels, thrice)
            found.append({**compared, "grows": grows, "much": much, "curve": place})
    return found
