"""Micro-batches as parquet files: one file in a stream's folder is one micro-batch of one partition."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.slt import Column, Relation
from tests.values import Row

# Spark takes the files of a folder by the times of their last change, which are set here.
FIRST_FILE = 1_700_000_000
TYPES = {
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "STRING": pa.string(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us", "UTC"),
    "TIMESTAMP_NTZ": pa.timestamp("us"),
}


def arrow_type(column: Column) -> pa.DataType:
    name = column.type.upper()
    found = re.fullmatch(r"DECIMAL\((\d+),\s*(\d+)\)", name)
    return pa.decimal128(int(found[1]), int(found[2])) if found else TYPES[name]


def schema_text(relation: Relation) -> str:
    return ", ".join(f"`{c.name}` {c.type}" for c in relation.columns)


def write_batch(folder: Path, relation: Relation, number: int, rows: Sequence[Row]) -> None:
    """Micro-batch `number` of a stream; it may be empty."""
    fields = [(c.name, arrow_type(c)) for c in relation.columns]
    arrays = [pa.array([row[i] for row in rows], kind) for i, (_, kind) in enumerate(fields)]
    folder.mkdir(parents=True, exist_ok=True)
    hidden = folder / f".{number:05d}.parquet"  # no reader sees a file that is not whole
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), hidden)
    os.utime(hidden, (FIRST_FILE + number,) * 2)
    hidden.rename(folder / f"{number:05d}.parquet")
