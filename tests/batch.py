"""Relations and aggregates of a case in a Spark session, and queries over them in batch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from tests.slt import Relation
from tests.values import Row

# Without generated code a plan that runs once takes a third less time.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


class Batch:
    """A new session that knows these relations; their rows lie in some partitions of equal size."""

    def __init__(
        self,
        spark: Any,
        relations: Iterable[Relation],
        partitions: int,
        conf: Mapping[str, str] | None = None,
    ) -> None:
        self.spark = spark.newSession()
        for key, value in (conf or {}).items():
            self.spark.conf.set(key, value)
        self.partitions = partitions
        for relation in relations:
            self.declare(relation)

    def declare(self, relation: Relation) -> None:
        if relation.kind == "aggregate":
            self.spark.sql(relation.query)
            return
        name, order = relation.name, ", ".join(relation.order_by)
        source = relation.query
        if source is None:
            view = f"{name}_data" if relation.kind == "stream" else name
            self.rows(relation).createOrReplaceTempView(view)
            source = f"SELECT * FROM {view}"
        if relation.kind == "view":
            self.spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {source}")
        elif relation.kind == "stream":
            ordered = f" ORDER BY {order}" if order else ""
            self.spark.sql(f"CREATE OR REPLACE TEMPORARY STREAM {name}{ordered} AS {source}")

    def rows(self, relation: Relation) -> Any:
        """The physical order of the rows, partition by partition, is the order of their arrival."""
        schema = ", ".join(f"`{c.name}` {c.type}" for c in relation.columns)
        size = max(1, -(-len(relation.rows) // self.partitions))
        chunks = [relation.rows[i : i + size] for i in range(0, len(relation.rows), size)] or [[]]
        frames = [self.spark.createDataFrame(chunk, schema) for chunk in chunks]
        made = frames[0].coalesce(1) if self.partitions == 1 else reduce(lambda a, b: a.unionAll(b), frames)
        return made.localCheckpoint()  # or each query would send the rows through Python again

    def answer(
        self, sql: str, settings: Mapping[str, str] | None = None, args: Mapping[str, int] | None = None
    ) -> list[Row]:
        given = settings or {}
        for key, value in given.items():
            self.spark.conf.set(key, value)
        try:
            return [tuple(row) for row in self.spark.sql(sql, args=dict(args) if args else None).collect()]
        finally:
            for key in given:
                self.spark.conf.unset(key)


def error_class_of(error: BaseException) -> str:
    """The error class of a failure; that of its cause when Spark has wrapped it."""
    condition = getattr(error, "getCondition", lambda: None)()
    if condition and condition.startswith("CSQL_"):
        return str(condition)
    found = re.search(r"\[(CSQL_\w+)", str(error))
    return found[1] if found else str(condition or type(error).__name__)


def position_of(error: BaseException) -> tuple[int, int] | None:
    """The place that the message tells, line and column from 1 (Spark's parser counts columns from 0)."""
    found: Sequence[tuple[str, str, str]] = re.findall(r"line (\d+),? (position|pos) (\d+)", str(error))
    if not found:
        return None
    line, kind, column = found[0]
    return int(line), int(column) + (kind == "pos")
