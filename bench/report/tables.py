"""Results of questions on tables."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import markdown, plots
from bench.report.targets import Target
from bench.results import Result
from bench.work import OURS

NEAR = 1 / 1.5  # the speed that suffices against DuckDB and Polars


def shown(part: str, result: Result, targets: Sequence[Target]) -> str:
    compared = {
        key: measured for key, measured in result.works.items() if {each.engine for each in measured} > {OURS}
    }
    pictures = [
        plots.bars(
            f"{part}-{kind}",
            f"How many times as fast as others, data {kind}",
            "ratio",
            {name: markdown.ratios(measured) for (name, how), measured in compared.items() if how == kind},
        )
        for kind in ("ordered", "shuffled")
    ]
    judged = markdown.verdicts(result, targets)
    return "\n\n".join([markdown.circumstances(result), judged, *pictures, markdown.all_measurements(result)])
