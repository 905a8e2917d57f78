"""The results of the part «batch»."""

from __future__ import annotations

from bench.report import markdown, plots, targets
from bench.results import Result
from bench.work import OURS


def report(result: Result) -> str:
    compared = {
        key: measured for key, measured in result.works.items() if {each.label for each in measured} > {OURS}
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
    details = (
        f"<details>\n<summary>All measurements</summary>\n\n{markdown.measurements(result)}\n\n</details>"
    )
    return "\n\n".join(
        [markdown.circumstances(result), markdown.verdicts(result, targets.BATCH), *shown, details]
    )
