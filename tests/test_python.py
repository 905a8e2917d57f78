"""The Python helpers: statements with parameters, streams and queries as objects, hostile names."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_csql
from spark_csql.quoting import length, quoted

HOSTILE = [
    "a`b",
    "x'; DROP TABLE t; --",
    'say "hi"\tORDER BY a.b',
    "[Range 1 Hour]",
    "é漢𝄞",
    ":n /* c",
]
ROWS = [(1, datetime.datetime(2026, 1, 1, 0, 0, 1)), (2, datetime.datetime(2026, 1, 1, 0, 0, 2))]


@pytest.fixture(autouse=True)
def clean(spark: Any) -> Iterator[None]:
    yield
    for query in spark_csql.queries(spark):
        table = query.table
        query.drop()
        spark.sql(f"DROP TABLE IF EXISTS {table}")
    for stream in spark_csql.streams(spark):
        stream.drop()


def test_sql_binds_values_wherever_they_stand(spark: Any) -> None:
    spark_csql.declare_stream(spark.createDataFrame(ROWS, "id INT, ts TIMESTAMP"), "s", order_by="ts")
    text = "SELECT id, :who AS who, COUNT(*) AS n FROM s [Rows :size] GROUP BY id"
    rows = spark_csql.sql(spark, text, who="it's; --", size=1).collect()
    assert [tuple(row) for row in rows] == [(1, "it's; --", 1), (2, "it's; --", 1)]
    assert spark_csql.sql(spark, "SELECT 1 AS a").collect()[0].a == 1


def test_explain_tells_the_plan_of_a_statement_with_values(spark: Any) -> None:
    spark_csql.declare_stream(spark.createDataFrame(ROWS, "id INT, ts TIMESTAMP"), "s", order_by="ts")
    told = spark_csql.explain(spark, "SELECT COUNT(*) FROM s [Rows :n, Frequency 2 Tuples]", n=7)
    assert "7" in told
    assert "Physical Plan" in told
    with pytest.raises(spark_csql.CsqlError, match="nowhere"):
        spark_csql.explain(spark, "SELECT * FROM nowhere [Rows 1]")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_names(spark: Any, name: str) -> None:
    df = spark.createDataFrame(ROWS, "id INT, ts TIMESTAMP").toDF("id", name)
    made = spark_csql.declare_stream(
        df, name, order_by=[name, "id"], slack="5 seconds", late_into=f"late {name}"
    )
    listed = {stream.name for stream in spark_csql.streams(spark)}
    assert listed == {name.lower(), f"late {name}".lower()}  # Spark's names of views
    assert [tuple(row) for row in made.frame().collect()] == ROWS
    assert name in made.describe()
    counts = spark.sql(f"SELECT COUNT(*) AS n FROM {made.quoted_name} [Range 1 Second]").collect()
    assert [row.n for row in counts] == [1, 1]
    made.drop()
    assert name.lower() not in [stream.name for stream in spark_csql.streams(spark)]


def test_streams_are_found_by_pattern(spark: Any) -> None:
    df = spark.createDataFrame(ROWS, "id INT, ts TIMESTAMP")
    for name in ("load", "late", "x' or '1'='1"):
        spark_csql.declare_stream(df, name)
    assert sorted(stream.name for stream in spark_csql.streams(spark, "l*")) == ["late", "load"]
    assert [stream.name for stream in spark_csql.streams(spark, "x' or '1'='1")] == ["x' or '1'='1"]


def test_a_stream_is_replaced_only_if_asked(spark: Any) -> None:
    df = spark.createDataFrame(ROWS, "id INT, ts TIMESTAMP")
    spark_csql.declare_stream(df, "s", order_by="ts")
    views = spark.sql("SHOW TABLES").count()
    with pytest.raises(Exception, match="CSQL_STREAM_EXISTS"):
        spark_csql.declare_stream(df, "s", order_by="ts")
    assert spark.sql("SHOW TABLES").count() == views  # nothing is left behind
    spark_csql.declare_stream(df.limit(1), "s", order_by="ts", replace=True)
    assert spark.table("s").count() == 1


def test_nothing_is_left_behind_by_streams(spark: Any) -> None:
    own = spark.newSession()
    df = own.createDataFrame(ROWS, "id INT, ts TIMESTAMP")

    def views() -> list[str]:
        return sorted(row.tableName for row in own.sql("SHOW TABLES").collect() if row.isTemporary)

    spark_csql.declare_stream(df, "s", order_by="ts", late_into="late")
    frame = own.table("s")
    again = spark_csql.declare_stream(df.limit(1), "s", order_by="ts", replace=True)
    rows, *named = views()
    assert (rows.startswith("csql_rows_"), named) == (True, ["s"])
    assert frame.count() == 2  # it was read before
    again.drop()
    assert views() == []
    spark_csql.declare_stream(df, "s", late_into="late", replace=True)
    assert own.table("late").count() == 0
    (found,) = spark_csql.streams(own, "s")
    found.drop()
    assert views() == []


def test_a_cached_frame_stays_cached(spark: Any) -> None:
    df = spark.createDataFrame(ROWS, "id INT, ts TIMESTAMP").cache()
    for _ in range(2):
        stream = spark_csql.declare_stream(df, "cached", order_by="ts", replace=True)
    stream.drop()
    assert df.storageLevel.useMemory
    df.unpersist()


@pytest.mark.parametrize("name", ["", (), ("a", ""), (1,), "${spark.master}"])
def test_no_name(name: Any) -> None:
    with pytest.raises(ValueError, match="is no name"):
        quoted(name)


def test_names_of_several_parts() -> None:
    assert quoted(("db", "a.b`c")) == "`db`.`a.b``c`"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("5 seconds", "5 seconds"),
        (" 10  Tuples ", "10 Tuples"),
        ("100", "100"),
        (datetime.timedelta(minutes=1, microseconds=2), "60000002 microseconds"),
    ],
)
def test_lengths(given: Any, written: str) -> None:
    assert length(given) == written


@pytest.mark.parametrize(
    "given", ["", "seconds", "5 fortnights", "5 seconds; DROP TABLE t", "-1 second", "1.5 days", "５ days"]
)
def test_what_is_no_length(given: str) -> None:
    with pytest.raises(ValueError, match="is no length"):
        length(given)


def test_queries_are_stopped_resumed_and_waited_for(spark: Any, tmp_path: Path) -> None:
    name = "a`b'; DROP TABLE answers; --"
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_text('{"id": 1}\n{"id": 2}\n')
    spark.sql("CREATE STREAM src (id INT) SOURCE :uri", args={"uri": f"json:{folder}"})
    spark.sql(f"CREATE CONTINUOUS QUERY {quoted(name)} INTO answers AS SELECT id FROM src")
    (query,) = spark_csql.queries(spark)
    assert query == spark_csql.ContinuousQuery(spark, name)
    assert query.isActive
    assert not query.awaitTermination(0)
    assert query.exception() is None
    query.stop()
    assert query.awaitTermination(60)
    assert query.status == "STOPPED"
    query.resume()
    assert query.isActive
    assert query.lastProgress["text"] == "SELECT id FROM src"
    query.drop()
    assert spark_csql.queries(spark) == []
    spark.sql("DROP TABLE answers")


def test_a_query_that_fails_says_why(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_text('{"id": 0}\n')
    spark.sql("CREATE STREAM src (id INT) SOURCE :uri", args={"uri": f"json:{folder}"})
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT raise_error('no good ' || id) AS e FROM src")
    (query,) = spark_csql.queries(spark, "q")
    with pytest.raises(spark_csql.QueryFailedError, match="no good 0"):
        query.awaitTermination(120)
    assert "no good 0" in str(query.exception())
    assert query.status == "FAILED"


def test_the_page_of_python_runs(spark: Any) -> None:
    page = Path(__file__).parent.parent / "docs" / "python.md"
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)
    assert names["spark"] is not None
    spark.sql("DROP TABLE seconds")
