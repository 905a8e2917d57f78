"""Run a question often enough to know its time, on as many rows as it manages."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bench.children import Child
from bench.data import Data
from bench.runs import Run
from bench.source import PARTS, Source

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


def repeat(child: Child, question: Any, columns: Sequence[str], source: Source) -> list[Run]:
    """Two to five runs, as many as fit into a minute, after one that warms up."""
    child.run(question, columns, source)
    return _more(child, question, columns, source, [])


def longest(
    child: Child, question: Any, columns: Sequence[str], data: Data, axis: Literal["seq", "id"]
) -> tuple[Source, list[Run]]:
    """The runs on the largest part of the rows that takes no longer than a minute."""
    parts, before = min(PARTS, 1 + FEWEST * PARTS // data.rows), None
    while True:
        source = Source(data, axis, parts)
        run = child.run(question, columns, source)
        if run.seconds > LONGEST and before:
            source, run = before
            break
        if source.whole or run.seconds > LONGEST / 2:
            break
        before = source, run
        parts = min(PARTS, parts * (4 if run.seconds < LONGEST / 16 else 2))
    return source, _more(child, question, columns, source, [run])


def _more(child: Child, question: Any, columns: Sequence[str], source: Source, runs: list[Run]) -> list[Run]:
    while len(runs) < 2 or (len(runs) < RUNS and sum(run.seconds for run in runs) < LONGEST):
        runs.append(child.run(question, columns, source))
    return runs
