"""Run a question often enough to know its time, on as many rows as it manages."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.children import Child
from bench.data import Data
from bench.runs import Run
from bench.source import PARTS, Source
from bench.work import Work

LONGEST = 60.0  # seconds; what takes longer runs on fewer rows
RUNS = 5
FEWEST = 50_000  # rows of the first try


@dataclass(frozen=True)
class Measured:
    label: str
    rows: int
    whole: bool
    seconds: Sequence[float]
    answers: float
    memory_mb: float
    spill_mb: float

    @classmethod
    def of(cls, label: str, source: Source, runs: Sequence[Run]) -> Measured:
        answers = runs[0].answer[0] if runs[0].answer else 0
        memory, spill = max(run.memory_mb for run in runs), max(run.spill_mb for run in runs)
        seconds = [round(run.seconds, 4) for run in runs]
        return cls(label, source.rows, source.whole, seconds, answers, memory, spill)

    @property
    def engine(self) -> str:
        return self.label.split(",")[0]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def speed(self) -> float:
        """Rows a second."""
        return self.rows / self.best

    def __str__(self) -> str:
        share = "" if self.whole else f" on {self.rows:,} rows"
        return f"{self.label}: {self.best:.3f} s{share}, {self.speed / 1e6:.2f} million rows a second"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def longest(child: Child, work: Work, label: str, data: Data) -> tuple[Source, list[Run]]:
    """Two to five runs on the largest part of the rows that takes no longer than a minute."""
    question = work.questions[label], work.columns
    parts, before = min(PARTS, 1 + FEWEST * PARTS // data.rows), None
    while True:
        source = Source(data, work.axis, parts)
        run = child.run(*question, source)
        if run.seconds > LONGEST and before:
            source, run = before
            break
        if source.whole or run.seconds > LONGEST / 2:
            break
        before = source, run
        parts = min(PARTS, parts * (4 if run.seconds < LONGEST / 16 else 2))
    runs = [run]
    while len(runs) < 2 or (len(runs) < RUNS and sum(run.seconds for run in runs) < LONGEST):
        runs.append(child.run(*question, source))
    return source, runs


def thrice(child: Child, work: Work, label: str, data: Data) -> tuple[Source, list[Run]]:
    """Three runs on all rows, and one before them that warms up."""
    source = Source(data)
    runs = [child.run(work.questions[label], work.columns, source) for _ in range(4)]
    return source, runs[1:]
