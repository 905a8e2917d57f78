"""Markdown of the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.measure import Measured
from bench.report.targets import Target
from bench.results import NotMeasured, Result
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
    return table(["work", "compared", "ratio", "target", "met"], (verdict(result, each) for each in targets))


def verdict(result: Result, target: Target) -> list[str]:
    work = f"`{target.work}` {target.how}"
    try:
        judged = target.judge(result)
    except NotMeasured:
        return [work, "not measured", "", target.goal, ""]
    return [work, judged.compared, f"{judged.value:.2f}", target.goal, "yes" if judged.met else "**no**"]


def ratios(measured: Sequence[Measured]) -> dict[str, float]:
    """How many times as fast ours is as each of the other engines at its best."""
    speeds: dict[str, float] = {}
    for each in measured:
        speeds[each.engine] = max(speeds.get(each.engine, 0), each.speed)
    ours = speeds.pop(OURS)
    return {engine: ours / speed for engine, speed in speeds.items()}


def all_measurements(result: Result) -> str:
    """Behind a heading that opens them."""
    times = ["best s", "median s", "spread", "million rows/s"]
    rows = (
        [f"`{name}`", how, *measurement(each)]
        for (name, how), measured in result.works.items()
        for each in measured
    )
    shown = table(["work", "data", "engine", "rows", *times, "memory MB", "spill MB"], rows)
    return f"<details>\n<summary>All measurements</summary>\n\n{shown}\n\n</details>"


def measurement(m: Measured) -> list[str]:
    times = [f"{m.best:.3f}", f"{m.median:.3f}", spread(m), f"{m.speed / 1e6:.3g}"]
    return [m.label, f"{m.rows:,}", *times, f"{m.memory_mb:.0f}", f"{m.spill_mb:.0f}"]


def spread(measured: Measured) -> str:
    """How far the slowest run lies above the best."""
    return f"{max(measured.seconds) / measured.best - 1:.0%}"
