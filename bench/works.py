"""What is asked on tables, and how each engine is asked.

A question is labelled with its engine, and with the formulation where there are several. «By hand» means that
the user has cut the windows into panes, or knows that the files are in the order of time and says so. Polars
always takes the order of the files. The others rely on neither, as ours does.
"""

from __future__ import annotations

from functools import partial

from bench.queries import duckdb, polars, spark
from bench.work import OURS, Questions, Work

UNITS = {3600: "Hour", 60: "Minute", 1: "Second"}
HOUR = 3600


def ours(clause: str, aggregate: str = "AVG", by: str = "") -> str:
    key, group = (f"{by} AS k, ", f" GROUP BY {by}") if by else ("", "")
    time = "evaluation_time() AS t, " if clause.endswith("Frequency 1 Minute]") else ""
    return f"SELECT {time}{key}{aggregate}(load) AS v FROM cpu {clause}{group}"


def scan() -> Work:
    questions: Questions = {"Spark": spark.MEAN, "DuckDB": duckdb.MEAN, "Polars": polars.mean}
    return Work("read the table: AVG", ("v",), questions)


def sort() -> Work:
    return Work("sort the table by time", (), {"Spark": spark.SORTED})


def tuple_jump(window: int, every: int, by_site: bool = False, shuffled: bool = False) -> Work:
    """For windows no longer than their frequency."""
    clause = f"[Rows {window}, Frequency {every} Tuples]"
    questions: Questions = {
        OURS: ours(clause, by="site" if by_site else ""),
        "Spark, window-id": spark.window_id(window, every, by_site),
        "DuckDB": duckdb.tuple_jump(window, every, by_site, ordered=False),
        "Polars": partial(polars.tuple_jump, window=window, every=every, by_site=by_site),
    }
    if not shuffled:
        questions["DuckDB, by hand"] = duckdb.tuple_jump(window, every, by_site, ordered=True)
    return Work(f"AVG {'by site ' * by_site}{clause}", "kv" if by_site else "v", questions)


def overlapping_tuple_jump(window: int, every: int) -> Work:
    clause = f"[Rows {window}, Frequency {every} Tuples]"
    questions: Questions = {
        OURS: ours(clause),
        "Spark, window-id": spark.window_id(window, every),
        "DuckDB": duckdb.overlapping_tuple_jump(window, every),
        "DuckDB, by hand": duckdb.tuple_jump_in_panes(window, every, ordered=True),
        "Polars": partial(polars.overlapping_tuple_jump, window=window, every=every),
    }
    return Work(f"AVG {clause}", "v", questions)


def time_jump(minutes: int, by: str = "site") -> Work:
    clause = f"[Range {length(60 * minutes)}, Frequency 1 Minute]"
    questions: Questions = {
        OURS: ours(clause, by=by),
        "Spark, window()": spark.time_jump(minutes, by),
        "DuckDB, plain": duckdb.time_jump(minutes, by),
        "DuckDB, by hand": duckdb.time_jump_in_panes(minutes, by),
        "Polars": partial(polars.time_jump, minutes=minutes, by=by),
        "Polars, by hand": partial(polars.time_jump_in_panes, minutes=minutes, by=by),
    }
    return Work(f"AVG by {by} {clause}", "tkv", questions)


def time_window_every_tuples(seconds: int, every: int) -> Work:
    clause = f"[Range {length(seconds)}, Frequency {every} Tuples]"
    questions: Questions = {
        OURS: ours(clause),
        "Spark, OVER": spark.time_window_every_tuples(seconds, every),
        "DuckDB": duckdb.time_window_every_tuples(seconds, every),
        "Polars": partial(polars.time_window_every_tuples, seconds=seconds, every=every),
    }
    return Work(f"AVG {clause}", "v", questions)


def tuple_window_every_minute(window: int) -> Work:
    clause = f"[Rows {window}, Frequency 1 Minute]"
    questions: Questions = {
        OURS: ours(clause),
        "Spark, OVER": spark.tuple_window_every_minute(window),
        "DuckDB": duckdb.tuple_window_every_minute(window),
        "Polars": partial(polars.tuple_window_every_minute, window=window),
    }
    return Work(f"AVG {clause}", "tv", questions)


def tuple_slide(aggregate: str, window: int, by_id: bool = True) -> Work:
    clause = f"[Partition By id Rows {window}]" if by_id else f"[Rows {window}]"
    questions: Questions = {
        OURS: ours(clause, aggregate, by="id" if by_id else ""),
        "Spark, OVER": spark.tuple_slide(aggregate, window, by_id),
        "DuckDB": duckdb.tuple_slide(aggregate, window, by_id),
        "Polars": partial(polars.tuple_slide, aggregate=aggregate, window=window, by_id=by_id),
    }
    name = f"{aggregate} {'by id ' * by_id}{clause}"
    return Work(name, "kv" if by_id else "v", questions, "id" if by_id else "seq")


def time_slide(seconds: int) -> Work:
    clause = f"[Range {length(seconds)}]"
    questions: Questions = {
        OURS: ours(clause, by="id"),
        "Spark, OVER": spark.time_slide(seconds),
        "DuckDB": duckdb.time_slide(seconds),
        "Polars": partial(polars.time_slide, seconds=seconds),
    }
    return Work(f"AVG by id {clause}", "kv", questions, "id")


def length(seconds: int) -> str:
    """In the largest unit that gives a whole number."""
    size, unit = next((size, unit) for size, unit in UNITS.items() if seconds % size == 0)
    return f"{seconds // size} {unit}{'s' * (seconds > size)}"
