"""A batch answer as a table."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from spark_csql.cli.output import shown
from spark_csql.cli.presentable import Presentable

MOST_ROWS = 100


@dataclass(frozen=True)
class Answer:
    """The first rows of an answer; ``frame`` is all of it."""

    frame: DataFrame
    rows: list[tuple[Any, ...]]
    more: bool

    @classmethod
    def of(cls, frame: DataFrame) -> Answer:
        rows = Presentable(frame).rows(MOST_ROWS + 1)
        return cls(frame, rows[:MOST_ROWS], len(rows) > MOST_ROWS)

    @property
    def _count(self) -> str:
        count = f"{len(self.rows)} row{'' if len(self.rows) == 1 else 's'}"
        return f"the first {count}" if self.more else count

    def _repr_html_(self) -> str:
        return f"{table(self.frame.columns, self.rows)}<p>{self._count}</p>"

    def __repr__(self) -> str:
        lines = ["\t".join(map(shown, row)) for row in [self.frame.columns, *self.rows]]
        return "\n".join([*lines, self._count])


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(shown(value))}</td>" for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
