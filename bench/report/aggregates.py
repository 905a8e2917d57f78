"""The results of the part «aggregates»."""

from __future__ import annotations

from collections.abc import Callable

from bench.measure import Measured
from bench.parts.aggregates import BUILT_IN, NAIVE, OWN, PANED, PYTHON, SCALA, SQL
from bench.report import markdown
from bench.report.targets import Target, Within
from bench.results import NotMeasured, Result

OVER, ALL, GROUPED = "SUM OVER 1,000 tuples", "SUM OVER all tuples", "SUM GROUP BY id"
TARGETS: list[Target] = [
    *(Within(work, [(work, SCALA)], 1.3, ours=SQL) for work in (OVER, ALL, GROUPED)),
    *(Within(work, [(work, BUILT_IN)], 5, ours=SQL) for work in (OVER, ALL, GROUPED)),
]


def report(result: Result) -> str:
    return "\n\n".join(
        [
            markdown.circumstances(result),
            markdown.verdicts(result, TARGETS),
            "Thousand rows a second, in each language:",
            table(result, "", lambda work: "figure" not in work, [BUILT_IN, SQL, SCALA, PYTHON], speed),
            "Figure 4: windows of growing size, thousand rows a second.",
            table(result, "window", lambda work: work.get("figure") == 4, [SQL, SCALA, OWN, NAIVE], speed),
            "Figure 6: slides of growing size over 40,000 tuples, kilobytes of state at the end of a stream.",
            table(result, "slide", lambda work: work.get("figure") == 6, [BUILT_IN, PANED, SQL], state),
            "Figure 7: the same, thousand rows a second.",
            table(result, "slide", lambda work: work.get("figure") == 6, [BUILT_IN, PANED, SQL], speed),
        ]
    )


def table(
    result: Result,
    grows: str,
    shown: Callable[[dict[str, object]], bool],
    labels: list[str],
    value: Callable[[Measured], str],
) -> str:
    header = [grows or "work", *(label.split(", ", 1)[1] for label in labels)]
    rows = []
    for work in filter(shown, result.content["works"]):
        first = f"{work[grows]:,}" if grows else work["name"]
        rows.append([first, *(cell(result, work, label, value) for label in labels)])
    return markdown.table(header, rows)


def cell(result: Result, work: dict[str, str], label: str, value: Callable[[Measured], str]) -> str:
    try:
        return value(result.fastest(work["name"], work["how"], label))
    except NotMeasured:
        return ""


def speed(measured: Measured) -> str:
    return f"{measured.speed / 1e3:,.3g}"


def state(measured: Measured) -> str:
    return f"{measured.told['settled state bytes'] / 1024:,.1f}"
