"""Part «profile»: where the time goes in works that miss a target, from recordings of Java's own recorder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bench import flame, stream_works, works
from bench.children import Child
from bench.data import HOME, Data
from bench.engines import engines
from bench.engines.spark import SparkEngine
from bench.engines.spark_session import SparkSession
from bench.engines.spark_stream import StreamQuestion, TwoFilesAtOnce
from bench.flight import Flight, recorded
from bench.parts import stream
from bench.runs import Run
from bench.tell import tell
from bench.work import OURS, Work

WARM, RECORDED = 4, 4  # runs
FILE = HOME / "logs" / "profile.jfr"
WORKS: list[tuple[Work, bool]] = [
    (works.tuple_jump(300, 1000), False),
    (works.tuple_jump(300, 1000, by_site=True), False),
    (works.tuple_jump(300, 1000, shuffled=True), True),
    (works.time_jump(10), False),
    (works.time_window_every_tuples(works.HOUR, 1000), False),
    (works.tuple_window_every_minute(5000), False),
    (works.tuple_slide("AVG", 1000), False),
    (works.tuple_slide("AVG", 100_000), False),
    (works.tuple_slide("AVG", 1000, by_id=False), False),
    (works.time_slide(works.HOUR), False),
]
STREAMED = [
    stream_works.tuple_slide("AVG", 100, "id"),
    stream_works.tuple_slide("AVG", 10_000, "site"),
    stream_works.tuple_jump(300, 1000),
]


def profiled(engine: SparkSession, run: Callable[[], Run]) -> Run:
    """Some runs warm up, then some are recorded."""
    for _ in range(WARM):
        run()
    with recorded(engine.spark._jvm, FILE):
        start = time.perf_counter()
        runs = [run() for _ in range(RECORDED)]
        seconds = time.perf_counter() - start
    return replace(min(runs, key=lambda run: run.seconds), told={"recorded s": seconds})


class RecordedSpark(SparkEngine):
    def run(self, question: str, columns: Sequence[str], data: Data) -> Run:
        return profiled(self, partial(super().run, question, columns, data))


class RecordedStream(TwoFilesAtOnce):
    def run(self, question: StreamQuestion, columns: Sequence[str], data: Data) -> Run:
        return profiled(self, partial(super().run, question, columns, data))


def run(rows: int) -> dict[str, Any]:
    found = []

    def keep(child: Child, work: Work, label: str, data: Data, how: str) -> None:
        tell(f"{work.name}, {how}")
        made = child.run(work.questions[label], work.columns, data)
        flight = Flight.of(FILE)
        told = {**flight.shares, "MB/s": flight.allocated_mb / made.told["recorded s"]}
        frames = flame.tree(flight.stacks)
        found.append({"name": work.name, "how": how, "seconds": made.seconds, "told": told, "frames": frames})

    with engines({OURS: RecordedSpark}) as tables:
        for work, shuffled in WORKS:
            data = Data(rows, shuffled=shuffled)
            keep(tables.of(OURS), work, OURS, data, "shuffled" if shuffled else "ordered")
    with engines({OURS: RecordedStream}) as streams:
        for work in STREAMED:
            for store in stream_works.STORES:
                data = Data(min(rows // 2, stream.MOST_ROWS), files=stream.FILES)
                keep(streams.of(OURS), work, f"{OURS}, {store}", data, f"stream, {store}")
    return {"works": [], "profiles": found}
