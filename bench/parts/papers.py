"""Part «papers»: the experiments of the paper that introduced frequencies (its figures 3, 4 and 5).

Figures 3 and 4 compare a pushed-down frequency with the window-id approach, without and with GROUP BY. Figure
5 is the time for one answer of windows by time that jump by tuples. Each point takes a tenth of the rows.
"""

from __future__ import annotations

from typing import Any

from bench import works
from bench.compare import compare
from bench.data import Data
from bench.engines import Engines, engines
from bench.engines.tables import TABLES
from bench.measure import thrice
from bench.queries import spark
from bench.work import OURS, Questions, Work

FREQUENCIES = (10, 100, 1000, 10_000, 100_000)  # tuples
WINDOW_IN_PERCENT = (10, 30, 50, 100, 300)  # of the frequency
RANGES = (1, 10, 60, 600, 3600)  # seconds
WINDOW_ID = "Spark, window-id"


def run(rows: int) -> dict[str, Any]:
    data = Data(rows // 10)
    with engines(TABLES) as started:
        return {
            "works": [
                *cost_ratios(started, data, by_site=False),
                *cost_ratios(started, data, by_site=True),
                *mixed_windows(started, data),
            ]
        }


def cost_ratios(engines: Engines, data: Data, by_site: bool) -> list[dict[str, Any]]:
    return [
        {
            **compare(engines, jump(every * percent // 100, every, by_site), data, "ordered", measure=thrice),
            "figure": 4 if by_site else 3,
            "frequency": every,
            "percent": percent,
        }
        for percent in WINDOW_IN_PERCENT
        for every in FREQUENCIES
    ]


def jump(window: int, every: int, by_site: bool) -> Work:
    clause = f"[Rows {window}, Frequency {every} Tuples]"
    questions: Questions = {
        OURS: works.ours(clause, by="site" if by_site else ""),
        WINDOW_ID: spark.window_id(window, every, by_site),
    }
    return Work(f"AVG {'by site ' * by_site}{clause}", "kv" if by_site else "v", questions)


def mixed_windows(engines: Engines, data: Data) -> list[dict[str, Any]]:
    """Polars confirms the answers."""
    return [
        {
            **compare(
                engines,
                works.time_window_every_tuples(seconds, every),
                data,
                "ordered",
                [OURS, "Polars"],
                thrice,
            ),
            "figure": 5,
            "frequency": every,
            "seconds": seconds,
        }
        for seconds in RANGES
        for every in FREQUENCIES
    ]
