"""Answers in values that Python can show as Spark would."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructType,
    VariantType,
)

_AS_THEY_ARE = (NumericType, StringType, BooleanType, BinaryType, DateType, NullType, VariantType)
_NESTED = (StructType, ArrayType, MapType, VariantType)
_KEEP_NULLS = {"ignoreNullFields": "false"}


class Json(str):
    """A nested value, as JSON."""


class Presentable:
    """An answer with its nested values as JSON, and as text what Python has no type for, such as intervals.

    Timestamps are text as well: Python would tell them in the time zone of this process, not of the session.
    """

    def __init__(self, frame: DataFrame) -> None:
        numbered = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))  # two may have the same name
        kinds = [field.dataType for field in frame.schema.fields]
        told = [_told(numbered[name], kind) for name, kind in zip(numbered.columns, kinds, strict=True)]
        self._nested = [isinstance(kind, _NESTED) for kind in kinds]
        self.frame = numbered.select(
            *(F.to_json(c, _KEEP_NULLS) if n else c for c, n in zip(told, self._nested, strict=True))
        )

    def rows(self, most: int | None = None) -> list[tuple[Any, ...]]:
        return self.read(self.frame.collect() if most is None else self.frame.take(most))

    def read(self, rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """Rows of ``frame``, wherever they were kept."""
        return [
            tuple(
                Json(value) if nested and value is not None else value
                for value, nested in zip(row, self._nested, strict=True)
            )
            for row in rows
        ]


def _told(column: Column, kind: DataType) -> Column:
    if isinstance(kind, _AS_THEY_ARE):
        return column
    if not isinstance(kind, _NESTED):
        return column.cast("string")
    return _told_inside(column, kind) if _differs_inside(kind) else column


def _told_inside(column: Column, kind: DataType) -> Column:
    if isinstance(kind, ArrayType):
        return F.transform(column, lambda element: _part(element, kind.elementType))
    if isinstance(kind, MapType):
        values = F.transform_values(column, lambda _, value: _part(value, kind.valueType))
        return F.transform_keys(values, lambda key, _: key.cast("string"))
    assert isinstance(kind, StructType)
    fields = [_part(column.getField(field.name), field.dataType).alias(field.name) for field in kind]
    return F.when(column.isNotNull(), F.struct(*fields))


def _part(column: Column, kind: DataType) -> Column:
    """A part of a nested value. JSON would tell bytes in another way than columns of bytes are told."""
    return F.lower(F.hex(column)) if isinstance(kind, BinaryType) else _told(column, kind)


def _differs_inside(kind: DataType) -> bool:
    """Whether JSON would tell a part of it otherwise than a column of that type is told."""
    if isinstance(kind, StructType):
        return any(_differs_inside(field.dataType) for field in kind)
    if isinstance(kind, ArrayType):
        return _differs_inside(kind.elementType)
    if isinstance(kind, MapType):
        return not isinstance(kind.keyType, StringType) or _differs_inside(kind.valueType)
    return isinstance(kind, BinaryType) or not isinstance(kind, _AS_THEY_ARE)
