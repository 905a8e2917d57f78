"""Values as they stand in .slt files: text to Python and back, and when two of them are equal."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]

TIMESTAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
TOKEN = re.compile(rf"\s*('(?:[^']|'')*'|{TIMESTAMP}(?=\s|$)|\[[^\]]*\]|\S+)")
INTEGER = re.compile(r"[+-]?\d+")
FLOAT = re.compile(r"[+-]?(\d+\.\d*([eE][+-]?\d+)?|\d+[eE][+-]?\d+|Infinity)|NaN")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
TOLERANCE = 1e-9


def timestamp(text: str) -> dt.datetime:
    """A timestamp with up to six digits after the point."""
    whole, _, fraction = text.partition(".")
    return dt.datetime.fromisoformat(whole) + dt.timedelta(microseconds=int(fraction.ljust(6, "0")))


def tokens(line: str) -> list[str]:
    """The values of one line, parted by blanks; a timestamp, a quoted string and an array are one value."""
    return TOKEN.findall(line.strip())


def unquote(token: str) -> str:
    return token[1:-1].replace("''", "'") if token.startswith("'") else token


def parse(token: str) -> Any:
    """A value of an answer; its type is told by its looks."""
    if token.startswith("'"):
        return unquote(token)
    if token.startswith("["):
        return [parse(part) for part in re.findall(r"'(?:[^']|'')*'|[^,\s][^,]*", token[1:-1])]
    if token in ("NULL", "true", "false"):
        return {"NULL": None, "true": True, "false": False}[token]
    if INTEGER.fullmatch(token):
        return int(token)
    if FLOAT.fullmatch(token):
        return float(token)
    if re.fullmatch(TIMESTAMP, token):
        return timestamp(token)
    return dt.date.fromisoformat(token) if DATE.fullmatch(token) else token


def parse_as(token: str, type_name: str) -> Any:
    """A value of a fed row; its type is the declared column's."""
    if token == "NULL":
        return None
    base = type_name.upper().split("(")[0]
    if base in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        return int(token)
    if base in ("FLOAT", "DOUBLE"):
        return float(token)
    if base == "DECIMAL":
        return Decimal(token)
    if base == "BOOLEAN":
        return {"true": True, "false": False}[token]
    if base in ("TIMESTAMP", "TIMESTAMP_NTZ"):
        return timestamp(token)
    if base == "DATE":
        return dt.date.fromisoformat(token)
    if base == "STRING":
        return unquote(token)
    raise ValueError(f"a column of type {type_name} cannot be fed")


def render(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return repr(0.0 if value == 0 else value)
    if isinstance(value, dt.datetime):
        text = value.replace(tzinfo=None).isoformat(sep=" ")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, list | tuple):
        return "[" + ", ".join(render(v) for v in value) + "]"
    if isinstance(value, str):
        plain = re.fullmatch(r"[^\s'\[\],#]+", value) and isinstance(parse(value), str)
        return value if plain and value != "----" else "'" + value.replace("'", "''") + "'"
    return str(value)


def render_rows(rows: Iterable[Sequence[Any]]) -> list[str]:
    """One line per row, columns below each other."""
    cells = [[render(v) for v in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]


def same(expected: Any, actual: Any) -> bool:
    """Equal values of one kind; doubles within 1e-9 relative, decimals by their number."""
    if isinstance(expected, Decimal) or isinstance(actual, Decimal):
        if expected is None or actual is None or isinstance(expected, str) or isinstance(actual, str):
            return False
        expected, actual = float(expected), float(actual)
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, float):
        if math.isnan(expected) or math.isnan(actual):
            return math.isnan(expected) and math.isnan(actual)
        return math.isclose(expected, actual, rel_tol=TOLERANCE, abs_tol=1e-12)
    return bool(expected == actual)


def sort_key(row: Sequence[Any]) -> tuple[Any, ...]:
    """An order in which equal rows meet: exact values first, doubles last, as they may differ a little."""

    def inexact(value: Any) -> bool:
        return isinstance(value, float | Decimal)

    exact = tuple("" if inexact(v) else type(v).__name__ + render(v) for v in row)
    return exact, tuple(float(v) if inexact(v) and not math.isnan(v) else 0.0 for v in row)


def difference(
    expected: Sequence[Sequence[Any]], actual: Sequence[Sequence[Any]], ordered: bool
) -> str | None:
    """None when the answers are the same, else a readable report with - expected and + actual lines."""
    expected, actual = list(expected), list(actual)
    if not ordered:
        expected, actual = sorted(expected, key=sort_key), sorted(actual, key=sort_key)

    def equal(i: int) -> bool:
        e, a = expected[i], actual[i]
        return len(e) == len(a) and all(map(same, e, a))

    if len(expected) == len(actual) and all(equal(i) for i in range(len(expected))):
        return None
    lines = [
        f"expected {len(expected)} rows, got {len(actual)} ({'in order' if ordered else 'in any order'})"
    ]
    for i in range(max(len(expected), len(actual))):
        if i < len(expected) and i < len(actual) and equal(i):
            lines.append("    " + "  ".join(map(render, expected[i])))
            continue
        if i < len(expected):
            lines.append("  - " + "  ".join(map(render, expected[i])))
        if i < len(actual):
            lines.append("  + " + "  ".join(map(render, actual[i])))
    return "\n".join(lines)
