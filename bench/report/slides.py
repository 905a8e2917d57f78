"""The results of the part «slides»."""

from __future__ import annotations

from bench import works
from bench.report.tables import NEAR, shown
from bench.report.targets import Faster, Scales, Target, Within
from bench.results import Result
from bench.work import OURS

SLIDES = {n: [works.tuple_slide(a, n).name for a in ("AVG", "SUM", "MAX")] for n in (1000, 100_000)}
HOUR = works.time_slide(works.HOUR).name
SLIDE_OF_ALL = works.tuple_slide("AVG", 1000, by_id=False).name

TARGETS: list[Target] = [
    *(Faster(slide, "Spark", 5) for slide in SLIDES[1000]),
    *(Faster(slide, "Spark", 200) for slide in SLIDES[100_000]),
    *(Within(long, [(short, OURS)], 1.3) for short, long in zip(*SLIDES.values(), strict=True)),
    *(Faster(slide, engine, NEAR) for n in SLIDES for slide in SLIDES[n] for engine in ("DuckDB", "Polars")),
    Faster(HOUR, "Spark", 2),
    *(Faster(HOUR, engine, NEAR) for engine in ("DuckDB", "Polars")),
    Scales(SLIDE_OF_ALL, 1.7),
]


def report(result: Result) -> str:
    return shown("slides", result, TARGETS)
