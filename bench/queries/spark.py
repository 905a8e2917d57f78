"""The questions in plain Spark SQL."""

from __future__ import annotations

MEAN = "SELECT AVG(load) AS v FROM cpu"
SORTED = "SELECT load FROM cpu ORDER BY ts"
NUMBERED = "SELECT *, ROW_NUMBER() OVER (ORDER BY ts) AS n FROM cpu"


def window_id(window: int, every: int, by_site: bool = False) -> str:
    """The approach of Li et al. (2005): tag each tuple with the windows it is in, then group by the tag."""
    if window <= every:
        tagged = (
            f"SELECT *, (n - 1) DIV {every} + 1 AS wid FROM ({NUMBERED}) "
            f"WHERE (n - 1) % {every} >= {every - window}"
        )
    else:
        ids = f"SEQUENCE((n - 1) DIV {every} + 1, (n + {window - 1}) DIV {every})"
        tagged = f"SELECT *, EXPLODE({ids}) AS wid FROM ({NUMBERED})"
    complete = f"wid <= (SELECT COUNT(*) FROM cpu) DIV {every}"
    key, keys = ("site AS k, ", ", site") if by_site else ("", "")
    return f"SELECT {key}AVG(load) AS v FROM ({tagged}) WHERE {complete} GROUP BY wid{keys}"


def time_jump(minutes: int, by: str) -> str:
    windows = f"WINDOW(ts, '{minutes} minutes', '1 minute')"
    return f"SELECT window.end AS t, {by} AS k, AVG(load) AS v FROM cpu GROUP BY {windows}, {by}"


def time_window_every_tuples(seconds: int, every: int) -> str:
    frame = f"(ORDER BY ts RANGE BETWEEN INTERVAL {seconds} SECONDS PRECEDING AND CURRENT ROW)"
    sliding = f"SELECT AVG(load) OVER {frame} AS v, ROW_NUMBER() OVER (ORDER BY ts) AS n FROM cpu"
    return f"SELECT v FROM ({sliding}) WHERE n % {every} = 0"


def tuple_window_every_minute(window: int) -> str:
    slot = "TIMESTAMPADD(MINUTE, 1, DATE_TRUNC('MINUTE', ts))"
    sliding = (
        f"SELECT {slot} AS t, LEAD({slot}) OVER (ORDER BY ts) AS next, AVG(load) OVER "
        f"(ORDER BY ts ROWS BETWEEN {window - 1} PRECEDING AND CURRENT ROW) AS v FROM cpu"
    )
    return f"SELECT t, v FROM ({sliding}) WHERE next IS NULL OR t < next"


def tuple_slide(aggregate: str, window: int, by_id: bool = True) -> str:
    key, partition = ("id AS k, ", "PARTITION BY id ") if by_id else ("", "")
    frame = f"({partition}ORDER BY ts ROWS BETWEEN {window - 1} PRECEDING AND CURRENT ROW)"
    return f"SELECT {key}{aggregate}(load) OVER {frame} AS v FROM cpu"


def time_slide(seconds: int) -> str:
    frame = (
        f"(PARTITION BY id ORDER BY ts RANGE BETWEEN INTERVAL {seconds} SECONDS PRECEDING AND CURRENT ROW)"
    )
    return f"SELECT id AS k, AVG(load) OVER {frame} AS v FROM cpu"


def join(seconds: int) -> str:
    near = (f"{one}.ts > {other}.ts - INTERVAL {seconds} SECONDS" for one, other in ("ab", "ba"))
    return (
        "SELECT GREATEST(a.ts, b.ts) AS t, a.id AS k, a.load + 2 * b.load AS v "
        "FROM (SELECT * FROM cpu WHERE seq % 2 = 0) a JOIN (SELECT * FROM cpu WHERE seq % 2 = 1) b "
        f"ON a.id = b.id AND {' AND '.join(near)}"
    )
