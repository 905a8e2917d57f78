"""The questions on streams in Flink's SQL. Those for its DataStream API are in the program."""

from __future__ import annotations


def tuple_slide(aggregate: str, window: int, by: str) -> str:
    return _over(aggregate, by, f"ROWS BETWEEN {window - 1} PRECEDING AND CURRENT ROW")


def time_slide(hours: int) -> str:
    return _over("AVG", "id", f"RANGE BETWEEN INTERVAL '{hours}' HOUR PRECEDING AND CURRENT ROW")


def time_jump(minutes: int) -> str:
    hop = f"HOP(TABLE cpu, DESCRIPTOR(rowtime), INTERVAL '1' MINUTE, INTERVAL '{minutes}' MINUTE)"
    return f"SELECT window_end, site, AVG(load) FROM {hop} GROUP BY window_start, window_end, site"


def _over(aggregate: str, by: str, frame: str) -> str:
    return (
        f"SELECT rowtime, {by}, {aggregate}(load) OVER (PARTITION BY {by} ORDER BY rowtime {frame}) FROM cpu"
    )
