"""Rows of different shapes in one column: as JSON text on the way out of Spark, and back by their schema."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from struct import pack, unpack
from typing import Any

from pyspark.sql import functions as F
from pyspark.sql import types as T

from tests.values import Row, timestamp

MOMENT = "yyyy-MM-dd HH:mm:ss.SSSSSS"
OPTIONS = {"ignoreNullFields": "false", "timestampFormat": MOMENT, "timestampNTZFormat": MOMENT}


def packed(frame: Any, number: int) -> Any:
    """The rows of a frame as text in the column `row`, marked with a number in the column `q`."""
    named = frame.toDF(*[f"c{i}" for i in range(len(frame.columns))])
    return named.select(F.lit(number).alias("q"), F.to_json(F.struct("*"), OPTIONS).alias("row"))


def unpacked(text: str, schema: T.StructType) -> Row:
    values = json.loads(text, parse_float=str)
    return tuple(value(values[f"c{i}"], f.dataType) for i, f in enumerate(schema.fields))


def value(given: Any, kind: T.DataType) -> Any:
    if given is None:
        return None
    if isinstance(kind, T.FloatType):  # the text is the shortest one that tells it among the floats
        return float(unpack("f", pack("f", float(given)))[0])
    if isinstance(kind, T.DoubleType):
        return float(given)
    if isinstance(kind, T.DecimalType):
        return Decimal(str(given))
    if isinstance(kind, T.TimestampType | T.TimestampNTZType):
        return timestamp(given)
    if isinstance(kind, T.DateType):
        return dt.date.fromisoformat(given)
    if isinstance(kind, T.ArrayType):
        return [value(v, kind.elementType) for v in given]
    if isinstance(kind, T.StructType):
        return tuple(value(given[f.name], f.dataType) for f in kind.fields)
    return given
