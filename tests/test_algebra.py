"""Queries made in Python are the queries of SQL."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import spark_csql
from spark_csql import stream

TS = datetime.datetime(2026, 1, 1, 0, 0, 5)


@pytest.mark.parametrize(
    ("query", "sql"),
    [
        (stream("S"), "SELECT *\nFROM `S`"),
        (stream(("db", "a`b"), "x").window(rows=3), "SELECT *\nFROM `db`.`a``b` AS `x` [Rows 3]"),
        (
            stream("Pulse")
            .window(range="1 minute")
            .frequency("10 tuples", partition_by=["Id"])
            .group_by("Id")
            .agg("COUNT(*) AS n"),
            "SELECT `Id`, COUNT(*) AS n\nFROM `Pulse` [Range 1 minute, Frequency 10 tuples Partitioned By `Id`]\nGROUP BY `Id`",
        ),
        (
            stream("S")
            .window(range="5 seconds", lag="2 seconds", on="ts", partition_by="k")
            .where("v > 1")
            .where("w"),
            "SELECT *\nFROM `S` [Range 5 seconds Partitioned By `k` Lag 2 seconds On `ts`]\nWHERE (v > 1) AND (w)",
        ),
        (
            stream(stream("S").window(tumble="1 hour").select("COUNT(*) AS n"), "c")
            .window(now=True)
            .select("n")
            .sample("2 tuples"),
            "SELECT n [Frequency 2 tuples]\nFROM (SELECT COUNT(*) AS n\nFROM `S` [Tumble 1 hour]) AS `c` [Now]",
        ),
        (
            stream("S").window(since=TS).frequency("1 day", origin=TS).select("k").to_stream("istream"),
            "ISTREAM(SELECT k\nFROM `S` [Landmark From TIMESTAMP '2026-01-01 00:00:05', Frequency 1 day Origin TIMESTAMP '2026-01-01 00:00:05'])",
        ),
        (
            stream("S")
            .window(since=datetime.date(2026, 1, 1), until=7)
            .group_by("a", "b")
            .agg()
            .having("a > 1"),
            "SELECT `a`, `b`\nFROM `S` [Band From DATE '2026-01-01' Until 7]\nGROUP BY `a`, `b`\nHAVING a > 1",
        ),
    ],
)
def test_text(query: spark_csql.Query, sql: str) -> None:
    assert query.sql() == sql
    assert spark_csql.validate(sql) == []


@pytest.mark.parametrize(
    "shape",
    [{}, {"rows": 1, "now": True}, {"rows": 1, "range": "1 day"}, {"rows": -1}, {"range": "1 day] x ["}],
)
def test_what_is_no_window(shape: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"exactly one shape|is no length"):
        stream("S").window(**shape)


def test_answers(spark: Any) -> None:
    rows = [(i % 2, datetime.datetime(2026, 1, 1, 0, 0, i)) for i in range(1, 7)]
    spark_csql.declare_stream(
        spark.createDataFrame(rows, "k INT, ts TIMESTAMP"), "alg", order_by="ts", replace=True
    )
    query = stream("alg").window(range="4 seconds").frequency("3 tuples").where("k >= :least").group_by("k")
    made = query.agg("COUNT(*) AS n").frame(spark, least=0).collect()
    # at the third tuple times 1 to 3, at the sixth 3 to 6
    assert [tuple(row) for row in made] == [(0, 1), (1, 2), (0, 2), (1, 2)]
    spark.sql("DROP STREAM alg")
