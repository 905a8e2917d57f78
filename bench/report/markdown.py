"""Markdown of the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.measure import Measured
from bench.report.targets import Target
from bench.results import Result
from bench.work import OURS


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


def circumstances(result: Result) -> str:
    known = result.content["machine"]
    versions = ", ".join(
        f"{name} {version}" for name, version in known.items() if name not in ("date", "machine")
    )
    return f"{result.rows:,} rows; {known['machine']}; {versions}; {known['date']}."


def verdicts(result: Result, targets: Iterable[Target]) -> str:
    found = (target.judge(result) for target in targets)
    rows = (
        [f"`{v.work}`", v.compared, f"{v.value:.2f}", v.goal, "yes" if v.met else "**no**"] for v in found
    )
    return table(["work", "compared", "ratio", "target", "met"], rows)


def ratios(measured: Sequence[Measured]) -> dict[str, float]:
    """How many times as fast ours is as each of the other engines at its best."""
    speeds: dict[str, float] = {}
    for each in measured:
        speeds[each.engine] = max(speeds.get(each.engine, 0), each.speed)
    ours = speeds.pop(OURS)
    return {engine: ours / speed for engine, speed in speeds.items()}


def measurements(result: Result) -> str:
    header = [
        "work",
        "data",
        "engine",
        "rows",
        "best s",
        "median s",
        "spread",
        "million rows/s",
        "MB",
        "spill MB",
    ]
    return table(
        header,
        (
            [f"`{name}`", how, *measurement(each)]
            for (name, how), measured in result.works.items()
            for each in measured
        ),
    )


def measurement(m: Measured) -> list[str]:
    times = [f"{m.best:.3f}", f"{m.median:.3f}", spread(m), f"{m.speed / 1e6:.3g}"]
    return [m.label, f"{m.rows:,}", *times, f"{m.memory_mb:.0f}", f"{m.spill_mb:.0f}"]


def spread(measured: Measured) -> str:
    """How far the slowest run lies above the best."""
    return f"{max(measured.seconds) / measured.best - 1:.0%}"
