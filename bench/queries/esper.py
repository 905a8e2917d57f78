"""The questions on streams in Esper's EPL."""

from __future__ import annotations

ROWS = "select time, id, load from Reading"


def tuple_slide(aggregate: str, window: int, by: str) -> str:
    return f"select time, {by}, {aggregate}(load) from Reading#groupwin({by})#length({window}) group by {by}"


def time_slide(hours: int) -> str:
    return f"select time, id, avg(load) from Reading#groupwin(id)#ext_timed(time, {hours} hours) group by id"


def time_jump(minutes: int) -> str:
    """Answers at the ticks that the program sends: Esper's own would come a minute after the first event."""
    return (
        "create table Means (site int primary key, mean avg(double)); "
        f"into table Means select avg(load) as mean from Reading#time({minutes} min) group by site; "
        "on Tick as tick select tick.time, site, mean from Means"
    )


def tuple_jump(window: int, every: int) -> str:
    return f"select time, 0, avg(load) from Reading#length({window}) having number % {every} = 0"


def time_window_every_tuples(hours: int, every: int) -> str:
    window = f"Reading#ext_timed(time, {hours} hours)"
    return f"select time, 0, avg(load) from {window} having number % {every} = 0"
