"""Measure one work on all its engines; a time counts only if the answers are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.answers import agree
from bench.children import EngineFailed
from bench.data import Data
from bench.engines import Engines
from bench.measure import Measured, longest
from bench.runs import Run, Runs
from bench.tell import tell
from bench.work import OURS, Work, engine_of


class Expected:
    """The answer of a work's first question, which is ours where we have one."""

    def __init__(self, engines: Engines, work: Work) -> None:
        self.label, self.question = next(iter(work.questions.items()))
        self.child, self.columns = engines.of(self.label), work.columns
        self.known: dict[Data, Sequence[float]] = {}

    def check(self, label: str, data: Data, answer: Sequence[float]) -> None:
        if data not in self.known:
            own = label == self.label
            self.known[data] = answer if own else self.child.run(self.question, self.columns, data).answer
        if not agree(answer, self.known[data]):
            raise SystemExit(f"The answers differ: {self.label} {self.known[data]}, {label} {answer}; {data}")


def compare(
    engines: Engines,
    work: Work,
    data: Data,
    how: str,
    labels: Sequence[str] = (),
    measure: Callable[[Runs, Work, str, Data], tuple[Data, list[Run]]] = longest,
) -> dict[str, Any]:
    tell(f"{work.name}, {how}")
    expected = Expected(engines, work)
    found: list[dict[str, Any]] = []
    for label in labels or work.questions:
        try:
            part, runs = measure(engines.of(label), work, label, data)
        except EngineFailed as failure:
            if engine_of(label) == OURS:
                raise
            tell(f"  {label} failed: {failure}")
            found.append({"label": label, "failed": str(failure)[-300:]})
            continue
        for run in runs:
            expected.check(label, part, run.answer)
        measured = Measured.of(label, runs, whole=part == data)
        tell(f"  {measured}")
        found.append(measured.as_json())
    return {"name": work.name, "how": how, "measured": found}
