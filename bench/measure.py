"""Run a question often enough to know its time, on as many rows as it manages."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.data import PARTS, Data
from bench.runs import Run, Runs
from bench.work import Work, engine_of

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
    told: dict[str, float]

    @classmethod
    def of(cls, label: str, runs: Sequence[Run], whole: bool) -> Measured:
        answers = runs[0].answer[0] if runs[0].answer else 0
        memory, spill = max(run.memory_mb for run in runs), max(run.spill_mb for run in runs)
        seconds = [round(run.seconds, 4) for run in runs]
        told = min(runs, key=lambda run: run.seconds).told
        return cls(label, runs[0].rows, whole, seconds, answers, memory, spill, told)

    @property
    def engine(self) -> str:
        return engine_of(self.label)

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
        return f"{self.label}: {self.best:.3f} s{share}, {self.speed / 1e3:,.0f} thousand rows a second"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def longest(
    child: Runs, work: Work, label: str, data: Data, most: int = RUNS, limit: float = LONGEST
) -> tuple[Data, list[Run]]:
    """Runs on the largest part of the rows that takes no longer than ``limit``; short ones are repeated."""
    question = work.questions[label], work.columns
    parts, before = min(PARTS, 1 + FEWEST * PARTS // data.rows), None
    while True:
        part = data.part(work.axis, parts)
        run = child.run(*question, part)
        if run.seconds > limit and before:
            part, run = before
            break
        if parts == PARTS or run.seconds > limit / 2:
            break
        before = part, run
        parts = min(PARTS, parts * (4 if run.seconds < limit / 16 else 2))
    runs = [run]
    while len(runs) < most and sum(run.seconds for run in runs) < limit / 2:
        runs.append(child.run(*question, part))
    return part, runs


def thrice(child: Runs, work: Work, label: str, data: Data) -> tuple[Data, list[Run]]:
    """Three runs on all rows, and one before them that warms up."""
    runs = [child.run(work.questions[label], work.columns, data) for _ in range(4)]
    return data, runs[1:]
