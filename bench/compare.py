"""Measure one work on all its engines; a time counts only if the answers are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.answers import agree
from bench.children import Child, EngineFailed
from bench.data import Data
from bench.engines import Engines
from bench.measure import Measured, longest
from bench.runs import Run
from bench.source import Source
from bench.tell import tell
from bench.work import OURS, Work


class Expected:
    """The answer of a work's first question, which is ours where we have one."""

    def __init__(self, engines: Engines, work: Work) -> None:
        self.label, self.question = next(iter(work.questions.items()))
        self.child, self.columns = engines.of(self.label), work.columns
        self.known: dict[Source, Sequence[float]] = {}

    def check(self, label: str, source: Source, answer: Sequence[float]) -> None:
        if source not in self.known:
            self.known[source] = self.child.run(self.question, self.columns, source).answer
        if not agree(answer, self.known[source]):
            raise SystemExit(
                f"The answers differ: {self.label} {self.known[source]}, {label} {answer}; {source}"
            )


def compare(
    engines: Engines,
    work: Work,
    data: Data,
    how: str,
    labels: Sequence[str] = (),
    measure: Callable[[Child, Work, str, Data], tuple[Source, list[Run]]] = longest,
) -> dict[str, Any]:
    tell(f"{work.name}, {how}")
    expected = Expected(engines, work)
    found: list[dict[str, Any]] = []
    for label in labels or work.questions:
        try:
            source, runs = measure(engines.of(label), work, label, data)
        except EngineFailed as failure:
            if label == OURS:
                raise
            tell(f"  {label} failed: {failure}")
            found.append({"label": label, "failed": str(failure).splitlines()[0]})
            continue
        for run in runs:
            expected.check(label, source, run.answer)
        measured = Measured.of(label, source, runs)
        tell(f"  {measured}")
        found.append(measured.as_json())
    return {"name": work.name, "how": how, "measured": found}
