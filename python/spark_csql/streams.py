"""Declared streams as Python objects."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.storagelevel import StorageLevel

from spark_csql.quoting import Length, length, quoted, quoted_list

_ROWS = "csql_rows_"  # DataFrames have no name in SQL, so streams over them read views


@dataclass(frozen=True)
class Stream:
    """A declared stream; ``namespace`` is empty for a temporary one."""

    spark: SparkSession
    name: str
    namespace: str
    temporary: bool
    order_by: str

    @property
    def quoted_name(self) -> str:
        """The name as it is written in a statement."""
        return quoted([self.namespace, self.name] if self.namespace else self.name)

    def frame(self) -> DataFrame:
        """The stream as a DataFrame: streaming if its rows come from a source."""
        return self.spark.sql(f"SELECT * FROM {self.quoted_name}")

    def describe(self) -> dict[str, str]:
        """Columns with their types, and what DESCRIBE STREAM tells beside them."""
        rows = self.spark.sql(f"DESCRIBE STREAM {self.quoted_name}").collect()
        return {row["name"]: row["value"] for row in rows}

    def drop(self) -> None:
        """Forget it, and the DataFrame that it was declared over."""
        rows = _rows_of(self)
        self.spark.sql(f"DROP STREAM {self.quoted_name}")
        _let_go(self.spark, rows)


def streams(spark: SparkSession, like: str | None = None) -> list[Stream]:
    """The declared streams, or those whose name has the pattern ``like`` (``*`` for any letters)."""
    text = "SHOW STREAMS" if like is None else "SHOW STREAMS LIKE :pattern"
    rows = spark.sql(text, args=None if like is None else {"pattern": like}).collect()
    return [
        Stream(spark, row["streamName"], row["namespace"], row["isTemporary"], row["orderBy"]) for row in rows
    ]


def declare_stream(
    df: DataFrame,
    name: str,
    *,
    order_by: str | Sequence[str] = (),
    slack: Length | None = None,
    late_into: str | None = None,
    replace: bool = False,
) -> Stream:
    """Declare a DataFrame, batch or streaming, as a temporary stream.

    >>> declare_stream(df, "Pulse", order_by=["ts", "Id"], slack="5 seconds", late_into="LatePulse")

    ``order_by`` names the time column, then the columns that break ties; ``slack`` is how long a streaming
    DataFrame waits for late rows, and ``late_into`` a second stream of the rows that come later still.
    """
    spark = df.sparkSession
    names = ", ".join([order_by] if isinstance(order_by, str) else order_by)
    stream = Stream(spark, name, "", True, names)
    replaced = _rows_of(stream) if replace else None
    rows = f"{_ROWS}{uuid.uuid4().hex}"
    statement = [f"CREATE {'OR REPLACE ' if replace else ''}TEMPORARY STREAM {quoted(name)}"]
    if order_by:
        statement.append(f"ORDER BY {quoted_list(order_by)}")
    if slack is not None:
        statement.append(f"SLACK {length(slack)}")
    if late_into is not None:
        statement.append(f"LATE INTO {quoted(late_into)}")
    statement.append(f"AS SELECT * FROM {quoted(rows)}")
    df.createTempView(rows)
    try:
        spark.sql(" ".join(statement))
    except Exception:
        _let_go(spark, rows)
        raise
    _let_go(spark, replaced)
    return stream


def _rows_of(stream: Stream) -> str | None:
    """The view of the DataFrame that a stream is declared over, if it is: no other stream reads it."""
    try:
        query = stream.describe().get("# Query", "")
    except AnalysisException:  # there is no such stream
        return None
    found = re.fullmatch(rf"SELECT \* FROM `({_ROWS}[0-9a-f]+)`", query)
    return found[1] if found else None


def _let_go(spark: SparkSession, rows: str | None) -> None:
    """A view of a cached DataFrame stays: Spark would drop the cache with it."""
    if rows is not None and spark.table(rows).storageLevel == StorageLevel.NONE:
        spark.catalog.dropTempView(rows)
