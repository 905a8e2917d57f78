"""The results of the part «growth»."""

from __future__ import annotations

from bench.measure import Measured
from bench.report import markdown, plots
from bench.results import Result
from bench.work import OURS

GROWING = ("rows", "window", "keys", "cores")


def report(result: Result) -> str:
    shown = [part for grows in GROWING for part in growth(result, grows)]
    return "\n\n".join([markdown.circumstances(result), *shown])


def growth(result: Result, grows: str) -> list[str]:
    works = [work for work in result.content["works"] if work["grows"] == grows]
    curves: dict[int, dict[float, Measured]] = {}
    for work in works:
        ours = result.fastest(work["name"], work["how"], OURS)
        curves.setdefault(work["curve"], {})[work["much"]] = ours
    names = {work["curve"]: work["name"] for work in reversed(works)}  # of the shortest window, if that grows
    steps = sorted({work["much"] for work in works})
    plot = plots.lines(
        f"growth-{grows}",
        f"Growth of {grows}",
        grows if grows != "window" else "window, times as long",
        "seconds",
        {names[curve]: {step: points[step].best for step in steps} for curve, points in curves.items()},
    )
    header = [f"{grows}: seconds (heap MB, spill MB)", *(f"{step:,}" for step in steps)]
    rows = (
        [f"`{names[curve]}`", *(cell(points[step]) for step in steps)] for curve, points in curves.items()
    )
    return [plot, markdown.table(header, rows)]


def cell(measured: Measured) -> str:
    return f"{measured.best:.3f} ({measured.memory_mb:.0f}, {measured.spill_mb:.0f})"
