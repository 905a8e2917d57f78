"""Compare spark-csql with what a user would pick instead, on this machine. Started by ``make bench``.

Each part leaves its results in .build/bench/results; «report» writes what is there into docs/benchmarks.md.
«record» keeps the few ratios that «quick» checks.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from bench import guard, results
from bench.machine import described
from bench.report import page

PARTS = ("jumps", "slides", "papers", "growth", "stream", "keys", "aggregates", "cql", "profile")
OTHERS = {"report": lambda: page.write(PARTS), "record": guard.record, "quick": guard.check}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("parts", nargs="+", choices=[*PARTS, *OTHERS])
    options.add_argument("--rows", type=int, default=4_000_000)
    arguments = options.parse_args()
    for part in arguments.parts:
        if part in OTHERS:
            OTHERS[part]()
        else:
            found = import_module(f"bench.parts.{part}").run(arguments.rows)
            results.write(part, {"rows": arguments.rows, "machine": described(), **found})


if __name__ == "__main__":
    main()
