"""The questions in DuckDB's SQL. Times are compared as numbers, which is faster there than as timestamps."""

from __future__ import annotations

MEAN = "SELECT avg(load) AS v FROM cpu"
SECOND = 1_000_000
MINUTE = 60 * SECOND
TICK = f"(epoch_us(ts) // {MINUTE} + 1) * {MINUTE}"


def numbered(ordered: bool) -> str:
    """From 0. Where the files are known to have the order of time, theirs is taken: that needs no sort."""
    return f"SELECT *, row_number() OVER ({'' if ordered else 'ORDER BY ts'}) - 1 AS n FROM cpu"


def tuple_jump(window: int, every: int, by_site: bool, ordered: bool) -> str:
    """For windows no longer than their frequency."""
    key, keys = ("site AS k, ", ", site") if by_site else ("", "")
    return (
        f"SELECT {key}avg(load) AS v FROM ({numbered(ordered)}) WHERE n % {every} >= {every - window} "
        f"AND n // {every} < (SELECT count(*) FROM cpu) // {every} GROUP BY n // {every}{keys}"
    )


def overlapping_tuple_jump(window: int, every: int) -> str:
    frame = f"(ORDER BY ts ROWS {window - 1} PRECEDING)"
    sliding = f"SELECT avg(load) OVER {frame} AS v, row_number() OVER (ORDER BY ts) AS n FROM cpu"
    return f"SELECT v FROM ({sliding}) WHERE n % {every} = 0"


def tuple_jump_in_panes(window: int, every: int, ordered: bool) -> str:
    panes = (
        f"SELECT n // {every} AS pane, sum(load) AS total, count(*) AS size "
        f"FROM ({numbered(ordered)}) GROUP BY pane"
    )
    return (
        f"SELECT sum(total) OVER w / sum(size) OVER w AS v FROM ({panes}) WHERE size = {every} "
        f"WINDOW w AS (ORDER BY pane ROWS {window // every - 1} PRECEDING)"
    )


def time_jump(minutes: int, by: str) -> str:
    tagged = f"SELECT {by} AS k, load, {TICK} + unnest(range({minutes})) * {MINUTE} AS t FROM cpu"
    return f"SELECT t, k, avg(load) AS v FROM ({tagged}) GROUP BY t, k"


def time_jump_in_panes(minutes: int, by: str) -> str:
    panes = (
        f"SELECT {by} AS k, {TICK} AS tick, sum(load) AS total, count(*) AS size FROM cpu GROUP BY k, tick"
    )
    tagged = f"SELECT k, total, size, tick + unnest(range({minutes})) * {MINUTE} AS t FROM ({panes})"
    return f"SELECT t, k, sum(total) / sum(size) AS v FROM ({tagged}) GROUP BY t, k"


def time_window_every_tuples(seconds: int, every: int) -> str:
    order = "ORDER BY epoch_us(ts)"
    sliding = (
        f"SELECT avg(load) OVER ({order} RANGE {seconds * SECOND} PRECEDING) AS v, "
        f"row_number() OVER ({order}) AS n FROM cpu"
    )
    return f"SELECT v FROM ({sliding}) WHERE n % {every} = 0"


def tuple_window_every_minute(window: int) -> str:
    sliding = (
        f"SELECT {TICK} AS t, lead({TICK}) OVER (ORDER BY ts) AS next, "
        f"avg(load) OVER (ORDER BY ts ROWS {window - 1} PRECEDING) AS v FROM cpu"
    )
    return f"SELECT t, v FROM ({sliding}) WHERE t IS DISTINCT FROM next"


def tuple_slide(aggregate: str, window: int, by_id: bool = True) -> str:
    key, partition = ("id AS k, ", "PARTITION BY id ") if by_id else ("", "")
    frame = f"({partition}ORDER BY ts ROWS {window - 1} PRECEDING)"
    return f"SELECT {key}{aggregate}(load) OVER {frame} AS v FROM cpu"


def time_slide(seconds: int) -> str:
    frame = f"(PARTITION BY id ORDER BY epoch_us(ts) RANGE {seconds * SECOND} PRECEDING)"
    return f"SELECT id AS k, avg(load) OVER {frame} AS v FROM cpu"
