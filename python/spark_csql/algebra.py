"""Queries put together in Python: the same clauses as in SQL, in the same order of meaning.

>>> stream("Pulse").window(range="1 minute").frequency("10 tuples", partition_by=["Id"]).group_by("Id").agg(
...     "COUNT(*) AS rate").frame(spark)

Each step returns a new query. Names are quoted; conditions and expressions are SQL, as in ``selectExpr``.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_csql.quoting import Length, Name, length, quoted, quoted_list

Instant = datetime.datetime | datetime.date | int
_OPERATORS = ("ISTREAM", "DSTREAM", "RSTREAM")


@dataclass(frozen=True)
class Query:
    """One block: a stream with its window and frequency, and what is asked of it."""

    source: str
    alias: str | None = None
    shape: str = ""
    pace: str = ""
    answer_pace: str = ""
    condition: str = ""
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kept: str = ""
    operator: str = ""

    def window(
        self,
        *,
        range: Length | None = None,
        rows: int | None = None,
        tumble: Length | None = None,
        unbounded: bool = False,
        now: bool = False,
        since: Instant | None = None,
        until: Instant | None = None,
        lag: Length | None = None,
        on: Name | None = None,
        partition_by: str | Sequence[str] = (),
    ) -> Query:
        """Which tuples are seen: exactly one of ``range``, ``rows``, ``tumble``, ``unbounded``, ``now``, or
        ``since`` and ``until`` (a landmark with one of them, a band with both)."""
        shapes = [
            f"Range {length(range)}" if range is not None else "",
            f"Rows {length(str(rows))}" if rows is not None else "",
            f"Tumble {length(tumble)}" if tumble is not None else "",
            "Range Unbounded" if unbounded else "",
            "Now" if now else "",
            _between(since, until),
        ]
        given = [shape for shape in shapes if shape]
        if len(given) != 1:
            raise ValueError(f"A window has exactly one shape, but {len(given)} were given.")
        parts = [given[0], _partitioned(partition_by)]
        parts.append(f"Lag {length(lag)}" if lag is not None else "")
        parts.append(f"On {quoted(on)}" if on is not None else "")
        return replace(self, shape=" ".join(part for part in parts if part))

    def frequency(
        self, every: Length, *, partition_by: str | Sequence[str] = (), origin: Instant | None = None
    ) -> Query:
        """How often the window jumps, or, without a window, which tuples are taken."""
        return replace(self, pace=_frequency(every, partition_by, origin))

    def sample(self, every: Length, *, partition_by: str | Sequence[str] = ()) -> Query:
        """A frequency on the answer: every so many of its rows."""
        return replace(self, answer_pace=_frequency(every, partition_by, None))

    def where(self, condition: str) -> Query:
        """Inside the window; a second condition narrows the first."""
        both = f"({self.condition}) AND ({condition})" if self.condition else condition
        return replace(self, condition=both)

    def group_by(self, *columns: str) -> Query:
        return replace(self, keys=columns)

    def agg(self, *expressions: str) -> Query:
        """The columns of ``group_by``, then these."""
        return replace(self, columns=(*map(quoted, self.keys), *expressions))

    def select(self, *expressions: str) -> Query:
        return replace(self, columns=expressions)

    def having(self, condition: str) -> Query:
        return replace(self, kept=condition)

    def to_stream(self, operator: str) -> Query:
        """ISTREAM, DSTREAM or RSTREAM of the answer."""
        if operator.upper() not in _OPERATORS:
            raise ValueError(f"{operator!r} makes no stream: it is one of {', '.join(_OPERATORS)}.")
        return replace(self, operator=operator.upper())

    def sql(self) -> str:
        """The query as it would be typed."""
        clause = ", ".join(part for part in (self.shape, self.pace) if part)
        sample = f" [{self.answer_pace}]" if self.answer_pace else ""
        lines = [
            f"SELECT {', '.join(self.columns or ('*',))}{sample}",
            f"FROM {self.source}"
            + (f" AS {quoted(self.alias)}" if self.alias else "")
            + (f" [{clause}]" if clause else ""),
            f"WHERE {self.condition}" if self.condition else "",
            f"GROUP BY {quoted_list(self.keys)}" if self.keys else "",
            f"HAVING {self.kept}" if self.kept else "",
        ]
        text = "\n".join(line for line in lines if line)
        return f"{self.operator}({text})" if self.operator else text

    def frame(self, spark: SparkSession, **params: Any) -> DataFrame:
        """The answer; ``params`` are values for markers ``:name`` in conditions and expressions."""
        return spark.sql(self.sql(), args=params or None)


def stream(source: Name | Query, alias: str | None = None) -> Query:
    """A declared stream, a table or view, or the answer stream of another query."""
    if isinstance(source, Query):
        return Query(f"({source.sql()})", alias)
    return Query(quoted(source), alias)


def _frequency(every: Length, partition_by: str | Sequence[str], origin: Instant | None) -> str:
    parts = [f"Frequency {length(every)}", _partitioned(partition_by)]
    parts.append(f"Origin {_instant(origin)}" if origin is not None else "")
    return " ".join(part for part in parts if part)


def _partitioned(columns: str | Sequence[str]) -> str:
    return f"Partitioned By {quoted_list(columns)}" if columns else ""


def _between(since: Instant | None, until: Instant | None) -> str:
    if since is not None and until is not None:
        return f"Band From {_instant(since)} Until {_instant(until)}"
    if since is not None:
        return f"Landmark From {_instant(since)}"
    return f"Landmark Until {_instant(until)}" if until is not None else ""


def _instant(value: Instant) -> str:
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    return str(int(value))
