"""The results of the part «stream»."""

from __future__ import annotations

from bench import stream_works
from bench.report import markdown, plots
from bench.report.targets import Faster, Target, Within
from bench.results import Result
from bench.stream_works import STORES
from bench.work import OURS

HOW = "stream"
SHORT_SLIDE = stream_works.tuple_slide("AVG", 100, "id").name
LONG_SLIDE = stream_works.tuple_slide("AVG", 10_000, "site").name
HIGHEST = stream_works.tuple_slide("MAX", 1000, "id").name
HOUR = stream_works.time_slide(1).name
TICKS = stream_works.time_jump(10).name
JUMP = stream_works.tuple_jump(300, 1000).name


def targets(store: str) -> list[Target]:
    ours = f"{OURS}, {store}"
    works = (SHORT_SLIDE, LONG_SLIDE, HIGHEST, HOUR, TICKS, JUMP)
    return [
        *(Faster(work, "Flink", 2, HOW, ours) for work in (SHORT_SLIDE, LONG_SLIDE, HIGHEST, HOUR)),
        Within(LONG_SLIDE, [(SHORT_SLIDE, ours)], 1.3, HOW, ours),
        Faster(TICKS, f"Spark, window() {store}", 1.5, HOW, ours),
        Faster(TICKS, "Flink", 1, HOW, ours),
        Faster(JUMP, "Flink", 1, HOW, ours),
        *(Faster(work, "Esper", 0.5, HOW, ours) for work in works),
    ]


def report(result: Result) -> str:
    missing = [f"Left out: {program} ({reason})." for program, reason in result.content["missing"].items()]
    compared = {name: m for (name, _), m in result.works.items() if OURS in {each.engine for each in m}}
    plot = plots.bars(
        "stream",
        "How many times as fast as others, on streams",
        "ratio",
        {name: markdown.ratios(measured) for name, measured in compared.items()},
    )
    judged = markdown.verdicts(result, (target for store in STORES for target in targets(store)))
    replayed = f"{result.content['replayed']:,} of {markdown.circumstances(result)}"
    shown = [replayed, *missing, judged, plot]
    return "\n\n".join([*shown, speeds(result), markdown.all_measurements(result)])


def speeds(result: Result) -> str:
    labels = list(dict.fromkeys(each.label for measured in result.works.values() for each in measured))
    rows = []
    for (name, _), measured in result.works.items():
        by_label = {each.label: f"{each.speed / 1000:,.0f}" for each in measured}
        rows.append([f"`{name}`", *(by_label.get(label, "") for label in labels)])
    return markdown.table(["thousand rows a second", *labels], rows)
