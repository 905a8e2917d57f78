"""Answers as tables for people, as lines for programs."""

from __future__ import annotations

import decimal
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spark_csql.cli.presentable import Json


class Printer:
    """Writes rows as one of the formats; a header comes with the first of them."""

    def __init__(self, as_json: bool = False, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False)
        people = "table" if self.console.is_terminal else "plain"
        self.format = "json" if as_json else people

    def answer(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], more: bool = False) -> None:
        """A whole answer; ``more`` if it has rows beyond these."""
        if self.format == "table":
            self.console.print(table(columns, rows))
            count = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
            self.console.print(f"the first {count}; --limit shows more" if more else count, style="dim")
            return
        self.header(columns)
        self.lines(columns, rows)
        if more:
            click.echo(f"Only the first {len(rows)} rows are shown; --limit 0 shows all.", err=True)

    def header(self, columns: Sequence[str]) -> None:
        if self.format != "json":
            click.echo("\t".join(map(_plain_text, columns)))

    def lines(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Rows one by one, as they come."""
        keys = unique(columns)
        for row in rows:
            if self.format == "json":
                fields = (f"{_json(key)}: {_json(value)}" for key, value in zip(keys, row, strict=True))
                click.echo("{" + ", ".join(fields) + "}")
            else:
                click.echo("\t".join(_plain_text(shown(value)) for value in row))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> Table:
    made = Table(title=title)
    for column in columns:
        made.add_column(Text(column))
    for row in rows:
        made.add_row(*(_cell(value) for value in row))
    return made


def shown(value: Any) -> str:
    """A value as SQL would show it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value)


def unique(columns: Sequence[str]) -> list[str]:
    """Names for the fields of a JSON object: a second ``a`` becomes ``a_2``."""
    seen: dict[str, int] = {}
    names = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return names


def _cell(value: Any) -> Text:
    text = Text(shown(value))
    if value is None:
        text.stylize("dim")
    if isinstance(value, int | float | decimal.Decimal) and not isinstance(value, bool):
        text.justify = "right"
    return text


def _plain_text(text: str) -> str:
    """One field of a line: what would end the field or the line is escaped."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _json(value: Any) -> str:
    """JSON has no NaN, and its readers may round decimals: these are texts."""
    if isinstance(value, Json):
        return value
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return json.dumps(value if value is None or is_number else shown(value), ensure_ascii=False)
