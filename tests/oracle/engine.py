"""DuckDB computes the relational answers; this is all the oracle knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import duckdb

from tests.slt import Column
from tests.values import Row

ORDER = "__k"  # the hidden column with a tuple's place in its stream or table


def duck_type(spark_type: str) -> str:
    return {"TIMESTAMP_NTZ": "TIMESTAMP", "STRING": "VARCHAR"}.get(spark_type.upper(), spark_type)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Engine:
    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.numbers = count()

    def table(
        self, columns: Sequence[Column], rows: Sequence[Row], name: str = "", places: bool = True
    ) -> str:
        """A table with these rows; with `places` each row has its index in the hidden column too."""
        name = name or f"__t{next(self.numbers)}"
        fields = [f"{quoted(c.name)} {duck_type(c.type)}" for c in columns]
        fields += [f"{ORDER} BIGINT"] if places else []
        self.connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} ({', '.join(fields)})")
        full = [(*row, i) if places else tuple(row) for i, row in enumerate(rows)]
        for start in range(0, len(full), 200):
            chunk = full[start : start + 200]
            marks = "(" + ", ".join("?" * len(fields)) + ")"
            sql = f"INSERT INTO {quoted(name)} VALUES {', '.join([marks] * len(chunk))}"
            self.connection.execute(sql, [value for row in chunk for value in row])
        return name

    def rows(self, sql: str) -> list[Row]:
        """The rows of a query. Rows are compared as they are written, and -0.0 is equal to 0.0."""
        found = self.connection.execute(sql).fetchall()
        return [tuple(v + 0.0 if isinstance(v, float) else v for v in row) for row in found]

    def columns(self, sql: str) -> list[Column]:
        """Names and types of a query's columns, names made unique."""
        described = self.connection.execute(f"DESCRIBE {sql}").fetchall()
        names: list[str] = []
        for name, *_ in described:
            names.append(name if name.lower() not in map(str.lower, names) else f"{name}_{len(names)}")
        return [Column(n, d[1]) for n, d in zip(names, described, strict=True)]
