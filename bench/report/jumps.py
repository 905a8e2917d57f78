"""The results of the part «jumps»."""

from __future__ import annotations

from bench import works
from bench.report.tables import NEAR, shown
from bench.report.targets import Faster, Scales, Target, Within
from bench.results import Result
from bench.work import OURS

SCAN, SORT = works.scan().name, works.sort().name
JUMP = works.tuple_jump(300, 1000).name
JUMP_BY_SITE = works.tuple_jump(300, 1000, by_site=True).name
TUMBLE = works.tuple_jump(1000, 1000).name
LONG_JUMP = works.overlapping_tuple_jump(40_000, 1000).name
TICKS = works.time_jump(10).name
MIXED = [works.time_window_every_tuples(works.HOUR, 1000).name, works.tuple_window_every_minute(5000).name]

TARGETS: list[Target] = [
    Faster(JUMP, "Spark", 8),
    Within(JUMP, [(SCAN, "Spark")], 1.5),
    Within(JUMP, [(SCAN, "Spark"), (SORT, "Spark")], 1.5, "shuffled"),
    Faster(JUMP, "DuckDB", NEAR),
    Faster(JUMP_BY_SITE, "Spark", 6),
    Faster(LONG_JUMP, "Spark", 10),
    Within(LONG_JUMP, [(TUMBLE, OURS)], 1.3),
    Faster(TICKS, "Spark", 3),
    Faster(TICKS, "DuckDB, plain", 1),
    Faster(TICKS, "DuckDB, by hand", 1),
    *(Within(mixed, [(JUMP, OURS)], 2) for mixed in MIXED),
    *(Scales(work, 1.7) for work in (JUMP, LONG_JUMP)),
]


def report(result: Result) -> str:
    return shown("jumps", result, TARGETS)
