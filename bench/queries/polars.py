"""The questions in Polars. Its frames have the order of the files, so rows out of order are sorted first."""

from __future__ import annotations

import polars as pl
from polars import LazyFrame

LOAD, NUMBER = pl.col("load"), pl.col("n")
MINUTE = "1m"


def mean(cpu: LazyFrame) -> LazyFrame:
    return cpu.select(v=LOAD.mean())


def tuple_jump(cpu: LazyFrame, window: int, every: int, by_site: bool) -> LazyFrame:
    """For windows no longer than their frequency."""
    jumps = cpu.select(pl.len()).collect().item() // every
    seen = cpu.with_row_index("n").filter(NUMBER % every >= every - window, NUMBER // every < jumps)
    keys = [NUMBER // every, *([pl.col("site").alias("k")] if by_site else [])]
    return seen.group_by(keys).agg(v=LOAD.mean())


def overlapping_tuple_jump(cpu: LazyFrame, window: int, every: int) -> LazyFrame:
    return cpu.select(v=LOAD.rolling_mean(window, min_samples=1)).gather_every(every, every - 1)


def time_jump(cpu: LazyFrame, minutes: int, by: str) -> LazyFrame:
    windows = cpu.group_by_dynamic(
        "ts", every=MINUTE, period=f"{minutes}m", offset=f"-{minutes - 1}m", label="right", group_by=by
    )
    return windows.agg(v=LOAD.mean()).select(t="ts", k=by, v="v")


def time_jump_in_panes(cpu: LazyFrame, minutes: int, by: str) -> LazyFrame:
    pane = pl.col("ts").dt.truncate(MINUTE)
    panes = cpu.group_by(by, pane=pane).agg(total=LOAD.sum(), rows=pl.len())
    ticks = (panes.with_columns(t=pl.col("pane") + pl.duration(minutes=i)) for i in range(1, minutes + 1))
    return pl.concat(ticks).group_by("t", k=by).agg(v=pl.col("total").sum() / pl.col("rows").sum())


def time_window_every_tuples(cpu: LazyFrame, seconds: int, every: int) -> LazyFrame:
    return cpu.select(v=LOAD.rolling_mean_by("ts", f"{seconds}s")).gather_every(every, every - 1)


def tuple_window_every_minute(cpu: LazyFrame, window: int) -> LazyFrame:
    slot = pl.col("ts").dt.truncate(MINUTE) + pl.duration(minutes=1)
    sliding = cpu.select(t=slot, v=LOAD.rolling_mean(window, min_samples=1))
    return sliding.group_by("t").agg(pl.col("v").last())


def tuple_slide(cpu: LazyFrame, aggregate: str, window: int, by_id: bool) -> LazyFrame:
    rolling = {"AVG": LOAD.rolling_mean, "SUM": LOAD.rolling_sum, "MAX": LOAD.rolling_max}[aggregate]
    value = rolling(window, min_samples=1)
    return cpu.select(k="id", v=value.over("id")) if by_id else cpu.select(v=value)


def time_slide(cpu: LazyFrame, seconds: int) -> LazyFrame:
    return cpu.select(k="id", v=LOAD.rolling_mean_by("ts", f"{seconds}s").over("id"))
