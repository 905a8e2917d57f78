"""Streams: sequences of tuples with times (semantics §1). Times are whole numbers: µs, days, or integers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.clauses import UNITS, Clause, Length
from tests.oracle.errors import NotCovered, Refused
from tests.slt import Column
from tests.values import Row

EPOCH = dt.datetime(1970, 1, 1)
INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "INTEGER", "HUGEINT")
TIMESTAMPS = ("TIMESTAMP", "TIMESTAMP_NTZ")
Time = int


def number_of(value: Any) -> Time:
    """A time value as a number."""
    if isinstance(value, dt.datetime):
        return (value - EPOCH) // dt.timedelta(microseconds=1)
    if isinstance(value, dt.date):
        return (value - EPOCH.date()).days
    return int(value)


def value_of(number: Time, time_type: str) -> Any:
    """The time value of a number."""
    if time_type in TIMESTAMPS:
        return EPOCH + dt.timedelta(microseconds=number)
    return EPOCH.date() + dt.timedelta(days=number) if time_type == "DATE" else number


def null_first(value: Any) -> tuple[bool, Any]:
    """A sort key: ascending with NULLs first."""
    return (False, 0) if value is None else (True, value)


@dataclass
class Stream:
    """s(1), s(2), … are rows[0], rows[1], …; a latent stream has no times."""

    columns: list[Column]
    rows: list[Row]
    times: list[Time] | None
    time_type: str = ""
    ordered: bool = True  # False: the order of the rows is not determined
    answer: bool = False  # the answer stream of a windowed query, with the time of its evaluations
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = [c.name.lower() for c in self.columns]

    def position(self, column: str, clause: Clause | None = None) -> int:
        if column.lower() not in self.names:
            place = clause.position if clause else None
            raise Refused("CSQL_COLUMN_NOT_FOUND", f"no column {column} among {self.names}", place)
        return self.names.index(column.lower())

    def key(self, columns: Sequence[str], index: int) -> tuple[tuple[bool, Any], ...]:
        """The substream of tuple `index`: its values of these columns, comparable with NULLs first."""
        return tuple(null_first(self.rows[index][self.position(c)]) for c in columns)

    def time(self, index: int) -> Time:
        assert self.times is not None
        return self.times[index]

    def literal(self, value: Any) -> Time:
        """A literal of a clause in this stream's numbers."""
        if self.time_type in TIMESTAMPS and isinstance(value, dt.date) and not isinstance(value, dt.datetime):
            value = dt.datetime(value.year, value.month, value.day)
        fits = {"DATE": dt.date, "INTEGER": int}.get(self.time_type, dt.datetime)
        if not isinstance(value, fits) or (self.time_type == "DATE" and isinstance(value, dt.datetime)):
            raise NotCovered(f"a literal {value!r} on {self.time_type} time")
        return number_of(value)

    def span(self, length: Length) -> Time:
        """A length of time in this stream's numbers."""
        if self.time_type == "":
            raise Refused("CSQL_TIME_COLUMN_MISSING", "a time clause on a latent stream")
        if self.time_type in TIMESTAMPS:
            if not length.unit:
                raise Refused("CSQL_UNIT_MISSING", "a length without a unit", length.position)
            return length.n * UNITS[length.unit]
        if self.time_type == "DATE":
            if length.unit != "DAY":
                raise Refused("CSQL_UNIT_UNFIT", "lengths on DATE time are whole days", length.position)
            return length.n
        if length.unit:
            raise Refused("CSQL_UNIT_UNFIT", "lengths on integer time are bare numbers", length.position)
        return length.n


def base_type(column: Column) -> str:
    return column.type.upper().split("(")[0].strip()


def time_column(
    columns: Sequence[Column], order_by: Sequence[str], clause: Clause
) -> tuple[str, list[str]] | None:
    """The time column and the tie columns by rules 1, 2 and 4; None: latent."""
    if clause.on:
        return clause.on, []
    if order_by:
        return order_by[0], list(order_by[1:])
    candidates = [c.name for c in columns if base_type(c) in TIMESTAMPS]
    return (candidates[0], []) if len(candidates) == 1 else None


def needs_time(clause: Clause) -> bool:
    lengths = [clause.window.length, clause.window.lag] if clause.window else []
    lengths += [clause.frequency.length] if clause.frequency else []
    return any(n is not None and not n.by_tuples for n in lengths) or (
        clause.window is not None and clause.window.kind in ("now", "fixed")
    )


def ordered_stream(
    columns: list[Column], rows: list[Row], order_by: Sequence[str], clause: Clause, drop_nulls: bool = False
) -> Stream:
    """The rows of a relation, in arrival order, as the stream that this clause sees."""
    bare = Stream(columns, rows, None)
    chosen = time_column(columns, order_by, clause)
    if chosen is None:
        if needs_time(clause):
            several = sum(base_type(c) in TIMESTAMPS for c in columns) > 1
            kind = "AMBIGUOUS" if several else "MISSING"
            raise Refused(f"CSQL_TIME_COLUMN_{kind}", f"which of {bare.names} is the time?", clause.position)
        return bare
    time, ties = chosen
    at = bare.position(time, clause)
    tie_positions = [bare.position(t, clause) for t in ties]
    time_type = base_type(columns[at])
    if time_type in INTEGERS:
        time_type = "INTEGER"
    elif time_type not in (*TIMESTAMPS, "DATE"):
        raise NotCovered(f"time of type {time_type}")
    if any(row[at] is None for row in rows):
        if not drop_nulls:
            raise Refused("CSQL_NULL_TIME", f"{time} is NULL")
        rows = [row for row in rows if row[at] is not None]
    rows = sorted(rows, key=lambda row: (number_of(row[at]), *(null_first(row[p]) for p in tie_positions)))
    return Stream(columns, rows, [number_of(row[at]) for row in rows], time_type)
