"""The results of the part «profile»."""

from __future__ import annotations

from bench.flight import ACTIVITIES, OTHER
from bench.report import markdown, plots
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
    pictures = "\n\n".join(
        plots.flame(f"flame-{number}", f"{each['name']}, {each['how']}", each["frames"])
        for number, each in enumerate(result.content["profiles"], start=1)
    )
    shown = f"<details>\n<summary>Flame graphs</summary>\n\n{pictures}\n\n</details>"
    return f"{markdown.circumstances(result)}\n\n{markdown.table(header, rows)}\n\n{shown}"
