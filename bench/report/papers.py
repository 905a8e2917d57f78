"""The results of the part «papers»."""

from __future__ import annotations

from bench.measure import Measured
from bench.parts.papers import FREQUENCIES, WINDOW_ID
from bench.report import markdown, plots
from bench.results import Result
from bench.work import OURS
from bench.works import length

Curves = dict[str, dict[float, float]]


def report(result: Result) -> str:
    by_figure: dict[int, Curves] = {3: {}, 4: {}, 5: {}}
    for work in result.content["works"]:
        curve = f"W/F {work['percent']} %" if "percent" in work else length(work["seconds"])
        measured = {each.label: each for each in result.works[work["name"], work["how"]]}
        if measured[OURS].answers:  # none, if there are fewer rows than the frequency has
            value = per_answer(measured) if work["figure"] == 5 else cost_ratio(measured)
            by_figure[work["figure"]].setdefault(curve, {})[work["frequency"]] = value
    frequency = "frequency in tuples"
    return "\n\n".join(
        [
            f"A tenth of the rows. {markdown.circumstances(result)}",
            "Cost of the pushed-down frequency divided by that of the window-id approach:",
            plots.lines("figure-3", "Figure 3: without GROUP BY", frequency, "cost ratio", by_figure[3]),
            curve_table("W/F", by_figure[3]),
            plots.lines("figure-4", "Figure 4: with GROUP BY site", frequency, "cost ratio", by_figure[4]),
            curve_table("W/F", by_figure[4]),
            "Milliseconds for one answer of a window by time that jumps by tuples.",
            plots.lines("figure-5", "Figure 5: mixed windows", frequency, "ms an answer", by_figure[5]),
            curve_table("range", by_figure[5]),
        ]
    )


def cost_ratio(measured: dict[str, Measured]) -> float:
    return measured[OURS].best / measured[WINDOW_ID].best


def per_answer(measured: dict[str, Measured]) -> float:
    return 1000 * measured[OURS].best / measured[OURS].answers


def curve_table(name: str, curves: Curves) -> str:
    header = [name, *(f"F = {frequency:,}" for frequency in FREQUENCIES)]
    rows = (
        [curve, *(f"{points[f]:.3g}" if f in points else "" for f in FREQUENCIES)]
        for curve, points in curves.items()
    )
    return markdown.table(header, rows)
