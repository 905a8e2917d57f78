"""Part «profile»: where the time goes in works that miss a target, from recordings of Java's own recorder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bench import works
from bench.data import HOME, Data
from bench.engines import engines
from bench.engines.spark import SparkEngine
from bench.flight import recorded, told
from bench.runs import Run
from bench.tell import tell
from bench.work import OURS, Work

WARM, RECORDED = 4, 4  # runs
WORKS: list[tuple[Work, bool]] = [
    (works.tuple_jump(300, 1000), False),
    (works.tuple_jump(300, 1000, by_site=True), False),
    (works.tuple_jump(300, 1000, shuffled=True), True),
    (works.time_window_every_tuples(works.HOUR, 1000), False),
    (works.tuple_slide("AVG", 1000), False),
    (works.time_slide(works.HOUR), False),
]


class RecordedSpark(SparkEngine):
    def run(self, question: str, columns: Sequence[str], data: Data) -> Run:
        for _ in range(WARM):
            super().run(question, columns, data)
        file = HOME / "logs" / "profile.jfr"
        with recorded(self.spark._jvm, file):
            start = time.perf_counter()
            runs = [super(RecordedSpark, self).run(question, columns, data) for _ in range(RECORDED)]
            seconds = time.perf_counter() - start
        found = told(file)
        found["MB/s"] = found.pop("allocated MB") / seconds
        best = min(runs, key=lambda run: run.seconds)
        return replace(best, told=found)


def run(rows: int) -> dict[str, Any]:
    found = []
    with engines({OURS: RecordedSpark}) as started:
        for work, shuffled in WORKS:
            how = "shuffled" if shuffled else "ordered"
            tell(f"{work.name}, {how}")
            made = started.of(OURS).run(work.questions[OURS], work.columns, Data(rows, shuffled=shuffled))
            found.append({"name": work.name, "how": how, "seconds": made.seconds, "told": made.told})
    return {"works": [], "profiles": found}
