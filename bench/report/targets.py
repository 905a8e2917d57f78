"""What the project wants to reach, and whether a run has reached it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import works
from bench.results import Result
from bench.work import OURS

NEAR = 1 / 1.5  # the speed that suffices against DuckDB and Polars

SCAN, SORT = works.scan().name, works.sort().name
JUMP = works.tuple_jump(300, 1000).name
JUMP_BY_SITE = works.tuple_jump(300, 1000, by_site=True).name
TUMBLE = works.tuple_jump(1000, 1000).name
LONG_JUMP = works.overlapping_tuple_jump(40_000, 1000).name
TICKS = works.time_jump(10).name
MIXED = [works.time_window_every_tuples(works.HOUR, 1000).name, works.tuple_window_every_minute(5000).name]
SLIDES = {n: [works.tuple_slide(a, n).name for a in ("AVG", "SUM", "MAX")] for n in (1000, 100_000)}
HOUR = works.time_slide(works.HOUR).name
SLIDE_OF_ALL = works.tuple_slide("AVG", 1000, by_id=False).name


@dataclass(frozen=True)
class Verdict:
    work: str
    compared: str
    value: float
    goal: str
    met: bool


@dataclass(frozen=True)
class Faster:
    """Ours handles so many times as many rows a second as another engine."""

    work: str
    engine: str
    times: float
    how: str = "ordered"

    def judge(self, result: Result) -> Verdict:
        other = result.fastest(self.work, self.how, self.engine)
        value = result.fastest(self.work, self.how, OURS).speed / other.speed
        return Verdict(
            f"{self.work}, {self.how}",
            f"speed / {other.label}",
            value,
            f"≥ {self.times:.3g}",
            value >= self.times,
        )


@dataclass(frozen=True)
class Within:
    """Ours takes at most so many times as long as other works together."""

    work: str
    others: Sequence[tuple[str, str]]  # work, engine
    times: float
    how: str = "ordered"

    def judge(self, result: Result) -> Verdict:
        other = sum(result.fastest(work, self.how, engine).best for work, engine in self.others)
        value = result.fastest(self.work, self.how, OURS).best / other
        compared = "time / " + " + ".join(
            work if engine == OURS else f"{engine}: {work}" for work, engine in self.others
        )
        return Verdict(
            f"{self.work}, {self.how}", compared, value, f"≤ {self.times:.3g}", value <= self.times
        )


@dataclass(frozen=True)
class Scales:
    """Two cores are so many times as fast as one."""

    work: str
    times: float

    def judge(self, result: Result) -> Verdict:
        one, two = (result.fastest(self.work, how, OURS).best for how in ("one core", "ordered"))
        return Verdict(
            self.work, "one core / two cores", one / two, f"≥ {self.times:.3g}", one / two >= self.times
        )


Target = Faster | Within | Scales

BATCH: list[Target] = [
    Faster(JUMP, "Spark", 8),
    Within(JUMP, [(SCAN, "Spark")], 1.5),
    Within(JUMP, [(SCAN, "Spark"), (SORT, "Spark")], 1.5, "shuffled"),
    Faster(JUMP, "DuckDB", NEAR),
    Faster(JUMP_BY_SITE, "Spark", 6),
    Faster(LONG_JUMP, "Spark", 10),
    Within(LONG_JUMP, [(TUMBLE, OURS)], 1.3),
    Faster(TICKS, "Spark", 3),
    Faster(TICKS, "DuckDB", 1),
    *(Within(mixed, [(JUMP, OURS)], 2) for mixed in MIXED),
    *(Faster(slide, "Spark", 5) for slide in SLIDES[1000]),
    *(Faster(slide, "Spark", 200) for slide in SLIDES[100_000]),
    *(Within(long, [(short, OURS)], 1.3) for short, long in zip(*SLIDES.values(), strict=True)),
    *(Faster(slide, engine, NEAR) for n in SLIDES for slide in SLIDES[n] for engine in ("DuckDB", "Polars")),
    Faster(HOUR, "Spark", 2),
    *(Faster(HOUR, engine, NEAR) for engine in ("DuckDB", "Polars")),
    *(Scales(work, 1.7) for work in (JUMP, LONG_JUMP, SLIDE_OF_ALL)),
]
