"""Types of arguments, local tables and returned values, and what may be stored where (Spark's ANSI store assignment).

A FLOAT is kept as a DOUBLE that is rounded when it is stored: Spark computes `0.9 * a` with a FLOAT a in doubles.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import sqlglot
from sqlglot import exp

from tests.oracle.errors import NotCovered

FLOAT = "FLOAT"
NUMBERS = ("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "REAL", "DOUBLE", "DECIMAL")
TIMES = ("DATE", "TIMESTAMP")
TEXTS = ("VARCHAR", "TEXT")


def duck_type_of(spark_type: str) -> str:
    """DuckDB's name of a type of Spark; FLOAT stays FLOAT."""
    try:
        built = exp.DataType.build(spark_type, dialect="spark").sql(dialect="duckdb")
    except sqlglot.errors.ParseError as e:
        raise NotCovered(f"the type {spark_type}") from e
    for theirs, ours in (("TIMESTAMPTZ", "TIMESTAMP"), ("TEXT", "VARCHAR"), ("REAL", FLOAT)):
        built = built.replace(theirs, ours)
    return built


def kept(duck_type: str) -> str:
    """The type of the column that keeps such values."""
    return "DOUBLE" if duck_type == FLOAT else duck_type


def stored(sql: str, duck_type: str) -> str:
    """The value of an expression as it is stored."""
    if duck_type == FLOAT:
        return f"CAST(CAST({sql} AS FLOAT) AS DOUBLE)"
    return f"CAST({sql} AS {duck_type})"


def family(duck_type: str) -> str:
    base = duck_type.upper().split("(")[0].strip()
    if duck_type.endswith("[]"):
        return "array"
    for name, members in (("number", NUMBERS), ("time", TIMES), ("text", TEXTS)):
        if base in members:
            return name
    return base.strip('"').lower()  # also "null", DuckDB's type of NULL


def storable(given: str, wanted: str) -> bool:
    """Numbers as numbers, times as times, every atomic value as text."""
    a, b = family(given), family(wanted)
    return a in (b, "null") or (b == "text" and a in ("number", "time", "boolean"))


def literal(value: Any) -> str:
    """A value as a literal of DuckDB."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | Decimal):
        return str(value)
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value}'"
    if isinstance(value, dt.date):
        return f"DATE '{value}'"
    raise NotCovered(f"a value {value!r}")


def typed(value: Any, duck_type: str) -> str:
    return f"CAST({literal(value)} AS {kept(duck_type)})"
