"""The results of the part «profile»."""

from __future__ import annotations

from bench.flight import ACTIVITIES, OTHER
from bench.report import markdown
from bench.results import Result


def report(result: Result) -> str:
    header = ["work", "data", "s", *ACTIVITIES, OTHER, "allocated MB/s"]
    rows = [
        [
            f"`{each['name']}`",
            each["how"],
            f"{each['seconds']:.2f}",
            *(f"{each['told'][name]:.0%}" for name in (*ACTIVITIES, OTHER)),
            f"{each['told']['MB/s']:,.0f}",
        ]
        for each in result.content["profiles"]
    ]
    return f"{markdown.circumstances(result)}\n\n{markdown.table(header, rows)}"
