"""What is asked on streams, and how each engine is asked. Labels are as in bench.works."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Literal

from bench.engines.java import EsperQuestion, FlinkQuestion
from bench.engines.spark_stream import StreamQuestion
from bench.queries import esper, flink, spark_stream
from bench.work import OURS, Questions, Work

STORES = {"HDFS-backed": "HDFSBacked", "RocksDB": "RocksDB"}
BY_HAND = {"Spark, flatMapGroupsWithState": "HDFSBacked", "Spark, transformWithState": "RocksDB"}
AS_THEY_ARRIVE = {f"{label} as they arrive": store for label, store in BY_HAND.items()}


def ours(clause: str, aggregate: str = "AVG", by: str = "") -> Questions:
    key, group = (f"{by} AS k, ", f" GROUP BY {by}") if by else ("", "")
    query = f"SELECT evaluation_time() AS t, {key}{aggregate}(load) AS v FROM cpu {clause}{group}"
    return {
        f"{OURS}, {name}": StreamQuestion(partial(spark_stream.ours, query=query), store)
        for name, store in STORES.items()
    }


def by_hand(window: partial[Any]) -> Questions:
    return {
        label: StreamQuestion(partial(window, way=label.removeprefix("Spark, ")), store)
        for label, store in {**BY_HAND, **AS_THEY_ARRIVE}.items()
    }


def flink_sql(query: str) -> Questions:
    return {
        "Flink, SQL": FlinkQuestion(["sql", query]),
        "Flink, SQL with RocksDB": FlinkQuestion(["sql", query], rocksdb=True),
    }


def rows() -> Work:
    questions: Questions = {
        "Spark": StreamQuestion(spark_stream.rows, "HDFSBacked"),
        "Flink": FlinkQuestion(["rows"]),
        "Esper": EsperQuestion(esper.ROWS),
    }
    return Work("read the stream", "tkv", questions)


def tuple_slide(aggregate: str, window: int, by: Literal["id", "site"]) -> Work:
    others: Questions = {
        **flink_sql(flink.tuple_slide(aggregate, window, by)),
        "Esper": EsperQuestion(esper.tuple_slide(aggregate, window, by)),
    }
    own = spark_tuple_slide(aggregate, window, by)
    return replace(own, questions={**own.questions, **others})


def spark_tuple_slide(aggregate: str, window: int, by: Literal["id", "site"]) -> Work:
    """Ours, and what a user can write by hand for Spark."""
    clause = f"[Partition By {by} Rows {window}]"
    hand = by_hand(partial(spark_stream.tuple_slide, aggregate=aggregate, window=window, by=by))
    return Work(f"{aggregate} by {by} {clause}", "tkv", {**ours(clause, aggregate, by), **hand}, by)


def time_slide(hours: int) -> Work:
    clause = f"[Range {hours} Hour]"
    questions = {
        **ours(clause, by="id"),
        **flink_sql(flink.time_slide(hours)),
        "Esper": EsperQuestion(esper.time_slide(hours)),
    }
    return Work(f"AVG by id {clause}", "tkv", questions, "id")


def time_jump(minutes: int) -> Work:
    others: Questions = {
        **flink_sql(flink.time_jump(minutes)),
        "Esper": EsperQuestion(esper.time_jump(minutes), clock=True),
    }
    own = spark_time_jump(minutes, "site")
    return replace(own, questions={**own.questions, **others})


def spark_time_jump(minutes: int, by: Literal["id", "site"]) -> Work:
    """Ours and Spark's own."""
    clause = f"[Range {minutes} Minutes, Frequency 1 Minute]"
    window = partial(spark_stream.time_jump, minutes=minutes, by=by)
    windows = {f"Spark, window() {name}": StreamQuestion(window, store) for name, store in STORES.items()}
    return Work(f"AVG by {by} {clause}", "tkv", {**ours(clause, by=by), **windows}, by)


def tuple_jump(window: int, every: int) -> Work:
    clause = f"[Rows {window}, Frequency {every} Tuples]"
    questions = {
        **ours(clause),
        **by_hand(partial(spark_stream.tuple_jump, window=window, every=every)),
        "Flink, DataStream": FlinkQuestion(["jump", str(window), str(every)]),
        "Esper": EsperQuestion(esper.tuple_jump(window, every)),
    }
    return Work(f"AVG {clause}", "tv", questions)


def time_window_every_tuples(hours: int, every: int) -> Work:
    clause = f"[Range {hours} Hour, Frequency {every} Tuples]"
    questions = {
        **ours(clause),
        "Flink, DataStream": FlinkQuestion(["mixed", str(3600 * hours), str(every)]),
        "Esper": EsperQuestion(esper.time_window_every_tuples(hours, every)),
    }
    return Work(f"AVG {clause}", "tv", questions)


ALL = [
    rows(),
    tuple_slide("AVG", 100, "id"),
    tuple_slide("AVG", 10_000, "site"),
    tuple_slide("MAX", 1000, "id"),
    time_slide(1),
    time_jump(10),
    tuple_jump(300, 1000),
    time_window_every_tuples(1, 1000),
]
