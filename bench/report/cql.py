"""The results of the part «cql»."""

from __future__ import annotations

from bench.cql_works import name
from bench.parts.cql import USUAL, lengths
from bench.report import markdown
from bench.report.targets import Faster, Target, Within
from bench.results import Result
from bench.stream_works import STORES
from bench.work import OURS


def targets(rows: int) -> list[Target]:
    usual, (short, long) = name(USUAL), map(name, lengths(rows))
    found: list[Target] = []
    for store in STORES:
        ours = f"{OURS}, {store}"
        found.append(Faster(usual, f"Spark, join {store}", 0.7, "stream", ours))
        found.append(Within(long, [(short, ours)], 1.3, "stream, rare", ours))
    found.append(Within(long, [(short, OURS)], 1.3, "table, rare"))
    return found


def report(result: Result) -> str:
    replayed = result.content["replayed"]
    judged = markdown.verdicts(result, targets(replayed))
    shown = f"{replayed:,} of {markdown.circumstances(result)}"
    return "\n\n".join([shown, judged, markdown.all_measurements(result)])
