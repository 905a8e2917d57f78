"""The results of the part «batch»."""

from __future__ import annotations

from bench import works
from bench.report import markdown, plots
from bench.report.targets import Faster, Scales, Target, Within
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

TARGETS: list[Target] = [
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


def report(result: Result) -> str:
    compared = {
        key: measured for key, measured in result.works.items() if {each.engine for each in measured} > {OURS}
    }
    shown = [
        plots.bars(
            f"batch-{kind}",
            f"How many times as fast as others, data {kind}",
            "ratio",
            {name: markdown.ratios(measured) for (name, how), measured in compared.items() if how == kind},
        )
        for kind in ("ordered", "shuffled")
    ]
    judged = markdown.verdicts(result, TARGETS)
    return "\n\n".join([markdown.circumstances(result), judged, *shown, markdown.all_measurements(result)])
