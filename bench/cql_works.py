"""Joins of windows: rows of one half of the stream with near ones of the other half that have the same id."""

from __future__ import annotations

from functools import partial

from bench.engines.spark_stream import StreamQuestion
from bench.queries import spark, spark_stream
from bench.stream_works import STORES
from bench.work import OURS, Work


def name(seconds: int) -> str:
    return f"join by id [Range {seconds} Seconds]"


def on_streams(seconds: int) -> Work:
    ways = {f"{OURS}, {{}}": spark_stream.windows_join, "Spark, join {}": spark_stream.join}
    questions = {
        label.format(store): StreamQuestion(partial(way, seconds=seconds), provider)
        for label, way in ways.items()
        for store, provider in STORES.items()
    }
    return Work(name(seconds), "tkv", questions, "id")


def on_tables(seconds: int) -> Work:
    halves = (
        f"(SELECT * FROM cpu WHERE seq % 2 = {rest}) [Range {seconds} Seconds On ts]" for rest in (0, 1)
    )
    ours = spark_stream.WINDOWS_JOIN.format(*halves)
    return Work(name(seconds), "tkv", {OURS: ours, "Spark": spark.join(seconds)}, "id")
