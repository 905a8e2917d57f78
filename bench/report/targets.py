"""Kinds of targets: what a run is compared with, and whether it suffices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.results import Result
from bench.work import OURS


@dataclass(frozen=True)
class Verdict:
    compared: str
    value: float
    met: bool


@dataclass(frozen=True)
class Faster:
    """Ours handles so many times as many rows a second as another engine."""

    work: str
    engine: str
    times: float
    how: str = "ordered"
    ours: str = OURS

    @property
    def goal(self) -> str:
        return f"≥ {self.times:.3g}"

    def judge(self, result: Result) -> Verdict:
        other = result.fastest(self.work, self.how, self.engine)
        ours = result.fastest(self.work, self.how, self.ours)
        value = ours.speed / other.speed
        return Verdict(f"speed of {ours.label} / {other.label}", value, value >= self.times)


@dataclass(frozen=True)
class Within:
    """Ours takes at most so many times as long for a row as other works together."""

    work: str
    others: Sequence[tuple[str, str]]  # work, engine
    times: float
    how: str = "ordered"
    ours: str = OURS

    @property
    def goal(self) -> str:
        return f"≤ {self.times:.3g}"

    def judge(self, result: Result) -> Verdict:
        other = sum(1 / result.fastest(work, self.how, engine).speed for work, engine in self.others)
        ours = result.fastest(self.work, self.how, self.ours)
        value = 1 / ours.speed / other
        works = " + ".join(f"{engine}: {work}" for work, engine in self.others)
        return Verdict(f"time of {ours.label} / {works}", value, value <= self.times)


@dataclass(frozen=True)
class Scales:
    """Two cores are so many times as fast as one."""

    work: str
    times: float
    how: str = "ordered"

    @property
    def goal(self) -> str:
        return f"≥ {self.times:.3g}"

    def judge(self, result: Result) -> Verdict:
        one, two = (result.fastest(self.work, how, OURS).speed for how in ("one core", self.how))
        return Verdict("speed on two cores / on one", two / one, two / one >= self.times)


Target = Faster | Within | Scales
