"""Part «aggregates»: aggregates of users, and the experiments of the paper that introduced them in SQL.

Its figure 4 compares windows of growing size, its figures 6 and 7 slides of growing size over one window.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from spark_csql import jar_path

from bench.compare import compare
from bench.data import Data
from bench.engines import Engines, engines
from bench.engines.spark_aggregates import SIZES, AggregatesEngine, AggregatesStreamEngine
from bench.engines.spark_stream import StreamQuestion
from bench.java import CannotBuild, build
from bench.measure import longest
from bench.queries import spark_stream
from bench.queries.aggregates import grouped, over
from bench.tell import tell
from bench.work import OURS, Questions, Work

RUNS = 3
COMPARED_RUNS = 6  # of languages: the first ones are still being compiled
WINDOW = 40_000
LARGEST_NAIVE = 1_000  # a larger window would take hours
SLIDES = (1, 10, 100, 1_000, 10_000, 40_000)
BUILT_IN, SQL, SCALA, PYTHON = (f"{OURS}, {way}" for way in ("built in", "SQL", "Scala", "Python"))
OWN, NAIVE, PANED = (f"{OURS}, {way}" for way in ("without EXPIRE", "naive", "ALGEBRAIC"))


def run(rows: int) -> dict[str, Any]:
    try:
        build("scala-aggregates", f"-Dcsql.jar={jar_path()}")
        left_out: tuple[str, ...] = ()
    except CannotBuild as reason:
        tell(f"Scala is left out: {reason}")
        left_out = (SCALA,)
    with engines({OURS: AggregatesEngine}) as tables:
        found = [*languages(tables, Data(rows // 8), left_out), *windows(tables, Data(rows // 16), left_out)]
    with engines({OURS: AggregatesStreamEngine}) as streams:
        return {"works": [*found, *slides(streams, Data(rows // 8, files=20))]}


def languages(engines: Engines, data: Data, left_out: tuple[str, ...]) -> list[dict[str, Any]]:
    calls = {BUILT_IN: "SUM", SQL: "sql_sum", SCALA: "scala_sum", PYTHON: "python_sum"}
    works = [
        Work("SUM OVER 1,000 tuples", "tv", {label: over(call, 1_000) for label, call in calls.items()}),
        Work("SUM OVER all tuples", "tv", {label: over(call, None) for label, call in calls.items()}),
        Work("SUM GROUP BY id", "kv", {label: grouped(call) for label, call in calls.items()}),
    ]
    return [measured(engines, work, data, left_out, COMPARED_RUNS) for work in works]


def windows(engines: Engines, data: Data, left_out: tuple[str, ...]) -> list[dict[str, Any]]:
    found = []
    for size in SIZES:
        questions = {
            SQL: over("sql_sum", size),
            SCALA: over("scala_sum", size),
            **(slow_questions(size) if size <= LARGEST_NAIVE else {}),
        }
        work = Work(f"SUM OVER {size:,} tuples, figure 4", "tv", questions)
        found.append({**measured(engines, work, data, left_out), "figure": 4, "window": size})
    return found


def slow_questions(size: int) -> Questions:
    """Their time for a tuple grows with the window."""
    return {OWN: over(f"own_window_{size}", None), NAIVE: over("naive_sum", size)}


def slides(engines: Engines, data: Data) -> list[dict[str, Any]]:
    found = []
    for slide in SLIDES:
        questions = {
            label: StreamQuestion(
                partial(spark_stream.ours, query=over(call, WINDOW, slide, "cpu")), "HDFSBacked"
            )
            for label, call in {BUILT_IN: "SUM", PANED: "paned_sum", SQL: "delta_sum"}.items()
        }
        work = Work(f"SUM OVER {WINDOW:,} tuples SLIDE {slide:,}", "tv", questions)
        compared = compare(engines, work, data, "stream", measure=partial(longest, most=RUNS))
        found.append({**compared, "figure": 6, "slide": slide})
    return found


def measured(
    engines: Engines, work: Work, data: Data, left_out: tuple[str, ...], most: int = RUNS
) -> dict[str, Any]:
    labels = [label for label in work.questions if label not in left_out]
    return compare(engines, work, data, "ordered", labels, partial(longest, most=most))
