"""Continuous queries, made and watched through SQL alone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, ParseException

from tests.continuous import Feed, clean, described, ids, status, until


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Iterator[Feed]:
    made = Feed(tmp_path / "in")
    spark.sql(f"CREATE STREAM s (id INT, ts TIMESTAMP) SOURCE 'json:{made.folder}'")
    yield made
    clean(spark)


def refuses(spark: Any, condition: str, statement: str) -> AnalysisException:
    with pytest.raises(AnalysisException) as error:
        spark.sql(statement)
    assert error.value.getCondition() == condition, str(error.value)
    return error.value


def test_rows_come_stop_and_come_again_once_each(spark: Any, feed: Feed) -> None:
    feed.ids(1, 2, -1)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s WHERE id > 0")
    until("the first rows", lambda: ids(spark, "q") == [1, 2])
    assert status(spark, "q") == "RUNNING"
    feed.ids(3)
    until("the next row", lambda: ids(spark, "q") == [1, 2, 3])
    spark.sql("STOP CONTINUOUS QUERY q")
    assert status(spark, "q") == "STOPPED"
    spark.sql("STOP CONTINUOUS QUERY q")
    feed.ids(4)
    spark.sql("RESUME CONTINUOUS QUERY q")
    spark.sql("RESUME CONTINUOUS QUERY q")
    until("the row after RESUME", lambda: ids(spark, "q") == [1, 2, 3, 4])


def test_available_now_ends_and_can_be_resumed(spark: Any, feed: Feed) -> None:
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q INTO t AVAILABLE NOW AS SELECT id FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    assert ids(spark, "t") == [1]
    feed.ids(2)
    spark.sql("RESUME CONTINUOUS QUERY q")
    until("the second end", lambda: status(spark, "q") == "FINISHED" and ids(spark, "t") == [1, 2])


def test_what_show_and_describe_tell(spark: Any, feed: Feed, tmp_path: Path) -> None:
    feed.add('{"id": 1}', "bad", '{"id": "worse"}')
    folder = tmp_path / "here"
    spark.sql(
        f"CREATE CONTINUOUS QUERY q INTO t TRIGGER 100 MILLISECONDS CHECKPOINT '{folder}' AS SELECT id FROM s"
    )
    until("the row", lambda: ids(spark, "t") == [1])
    feed.add("bad again")
    until("all rejected rows", lambda: described(spark, "q")["rejected rows"] == "3")
    spark.sql("STOP CONTINUOUS QUERY q")
    told = described(spark, "q")
    assert told["table"] == "default.t"
    assert told["text"] == "SELECT id FROM s"
    assert told["trigger"] == "100 MILLISECONDS"
    assert told["checkpoint"] == f"file:{folder}"
    assert (told["rejected rows"], told["late rows"], told["last error"]) == ("3", "0", "")
    assert int(told["batches"]) >= 2
    (shown,) = spark.sql("SHOW CONTINUOUS QUERIES LIKE 'q*'").collect()
    assert (shown.name, shown.status, shown.table, shown.text) == (
        "q",
        "STOPPED",
        "default.t",
        "SELECT id FROM s",
    )
    assert spark.sql("SHOW CONTINUOUS QUERIES LIKE 'x*'").collect() == []
    assert folder.exists()
    spark.sql("DROP CONTINUOUS QUERY q")
    assert not folder.exists()
    assert ids(spark, "t") == [1]  # the results stay
    spark.sql("DROP TABLE t")


def test_late_rows_and_state_are_told(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE STREAM timed AS SELECT * FROM s WATERMARK ts DELAY OF INTERVAL 0 SECONDS")
    feed.add('{"id": 1, "ts": "2026-01-01T10:00:00Z"}')
    spark.sql(
        "CREATE CONTINUOUS QUERY q AS SELECT window.start AS ws, count(*) AS n "
        "FROM timed GROUP BY window(ts, '1 minute')"
    )
    until("the first batch", lambda: described(spark, "q")["watermark"].startswith("2026-01-01T10:00"))
    feed.add('{"id": 2, "ts": "2026-01-01T09:00:00Z"}')
    until("the late row", lambda: described(spark, "q")["late rows"] == "1")
    told = described(spark, "q")
    assert told["state rows"] == "1"
    assert int(told["state bytes"]) > 0
    assert told["lag behind now"].endswith(" seconds")


def test_every_session_sees_every_query(spark: Any, feed: Feed) -> None:
    maker = spark.newSession()
    maker.sql("SET spark.sql.session.timeZone = Asia/Tokyo")
    feed.add('{"id": 1, "ts": "2026-01-01T00:00:00Z"}')
    maker.sql("CREATE CONTINUOUS QUERY q AS SELECT id, hour(ts) AS h FROM s")
    other = spark.newSession()
    assert [row.name for row in other.sql("SHOW CONTINUOUS QUERIES").collect()] == ["q"]
    until("the row", lambda: [tuple(row) for row in other.sql("SELECT id, h FROM q").collect()] == [(1, 9)])
    other.sql("STOP CONTINUOUS QUERY q")
    assert status(maker, "q") == "STOPPED"


def test_a_failure_is_told_and_can_be_resumed(spark: Any, feed: Feed) -> None:
    feed.ids(0)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id, assert_true(id > 0) AS ok FROM s")
    until("the failure", lambda: status(spark, "q") == "FAILED")
    assert "USER_RAISED_EXCEPTION" in described(spark, "q")["last error"]
    spark.sql("RESUME CONTINUOUS QUERY q")
    until("the same failure", lambda: status(spark, "q") == "FAILED")


def test_names_are_one_and_any(spark: Any, feed: Feed) -> None:
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY `a'b/../`` c` INTO t AS SELECT id, 'it''s; --' AS x FROM s")
    until("the row", lambda: ids(spark, "t") == [1])
    refuses(spark, "CSQL_QUERY_EXISTS", "CREATE CONTINUOUS QUERY `A'B/../`` C` INTO u AS SELECT id FROM s")
    spark.sql("CREATE CONTINUOUS QUERY IF NOT EXISTS `a'b/../`` c` INTO u AS SELECT id FROM s")
    assert spark.sql("SHOW CONTINUOUS QUERIES").count() == 1
    refuses(spark, "CSQL_QUERY_NAME", "CREATE CONTINUOUS QUERY a.b AS SELECT id FROM s")


def test_parameters_are_bound(spark: Any, feed: Feed) -> None:
    feed.ids(1, 2)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s WHERE id > :least", {"least": 1})
    until("the row", lambda: ids(spark, "q") == [2])
    assert described(spark, "q")["text"] == "SELECT id FROM s WHERE id > 1"


def test_what_is_not_there_is_told(spark: Any) -> None:
    for verb in ("STOP", "RESUME", "DROP", "DESCRIBE"):
        refuses(spark, "CSQL_QUERY_NOT_FOUND", f"{verb} CONTINUOUS QUERY nothing")
    spark.sql("DROP CONTINUOUS QUERY IF EXISTS nothing")


def test_temporary_objects_are_refused_by_name(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE TEMPORARY STREAM passing AS SELECT * FROM s")
    spark.udf.register("twice", lambda x: x, "int")
    spark.sql("CREATE TEMPORARY VIEW small AS SELECT 1 AS id")
    spark.sql("DECLARE VARIABLE v INT = 1")
    for what, query in (
        ("passing", "SELECT * FROM passing"),
        ("twice", "SELECT twice(id) AS x FROM s"),
        ("small", "SELECT s.id FROM s JOIN small ON s.id = small.id"),
        ("small", "SELECT id FROM s WHERE id IN (SELECT id FROM small)"),
        (" v,", "SELECT id FROM s WHERE id = v"),
    ):
        error = refuses(spark, "CSQL_QUERY_TEMPORARY", f"CREATE CONTINUOUS QUERY q AS {query}")
        assert what in str(error)
    spark.sql("DROP TEMPORARY VARIABLE v")
    spark.sql("DROP VIEW small")
    spark.sql("DROP TEMPORARY FUNCTION twice")


def test_a_query_that_does_not_grow_is_refused(spark: Any) -> None:
    refuses(spark, "CSQL_QUERY_NOT_STREAMING", "CREATE CONTINUOUS QUERY q AS SELECT 1 AS id")


def test_tables_that_cannot_be_written(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE TABLE full USING parquet AS SELECT 1 AS id")
    spark.sql("CREATE TABLE other (x STRING) USING parquet")
    spark.sql("CREATE VIEW seen AS SELECT 1 AS id")
    for table in ("full", "other", "seen"):
        refuses(spark, "CSQL_QUERY_TABLE", f"CREATE CONTINUOUS QUERY q INTO {table} AS SELECT id FROM s")
    refuses(spark, "CSQL_QUERY_TABLE", "CREATE CONTINUOUS QUERY q AS SELECT id, id FROM s")
    spark.sql("CREATE CONTINUOUS QUERY one INTO t AS SELECT id FROM s")
    refuses(spark, "CSQL_QUERY_TABLE", "CREATE CONTINUOUS QUERY two INTO t AS SELECT id FROM s")
    for table in ("full", "other"):
        spark.sql(f"DROP TABLE {table}")
    spark.sql("DROP VIEW seen")


def test_a_fitting_empty_table_is_filled(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE TABLE mine (id INT) USING parquet")
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q INTO mine AS SELECT id FROM s")
    until("the row", lambda: ids(spark, "mine") == [1])


@pytest.mark.parametrize(
    "table",
    [
        "(id INT, name STRING) USING csv OPTIONS (header 'true')",
        "(id INT, name STRING) USING csv OPTIONS (sep '|')",
        "(ID INT, Name STRING) USING json",
        "(ID INT, Name STRING) USING orc",
    ],
)
def test_a_table_reads_what_is_written_to_it(spark: Any, feed: Feed, table: str) -> None:
    spark.sql(f"CREATE TABLE mine {table}")
    feed.ids(1, 2)
    spark.sql("CREATE CONTINUOUS QUERY q INTO mine AVAILABLE NOW AS SELECT id, 'a,b' AS name FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    feed.ids(3)
    spark.sql("RESUME CONTINUOUS QUERY q")
    until("the row", lambda: ids(spark, "mine") == [1, 2, 3])
    assert {row[1] for row in spark.sql("SELECT * FROM mine").collect()} == {"a,b"}


def test_lengths_of_text_are_not_overstepped(spark: Any, feed: Feed) -> None:
    for number, text in enumerate(("VARCHAR(1)", "CHAR(3)", "ARRAY<VARCHAR(1)>")):
        spark.sql(f"CREATE TABLE short_{number} (x {text}) USING parquet")
        value = "array('long')" if "ARRAY" in text else "'long'"
        into = f"CREATE CONTINUOUS QUERY q INTO short_{number} AS SELECT {value} AS x FROM s"
        assert "VARCHAR" in str(refuses(spark, "CSQL_QUERY_TABLE", into))
        spark.sql(f"DROP TABLE short_{number}")


def test_a_table_of_a_dropped_query_is_not_written_again(spark: Any, feed: Feed) -> None:
    """Its log would skip the first batches of the new query."""
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s")
    until("the row", lambda: ids(spark, "q") == [1])
    spark.sql("DROP CONTINUOUS QUERY q")
    refuses(spark, "CSQL_QUERY_TABLE", "CREATE CONTINUOUS QUERY q AS SELECT id FROM s")
    spark.sql("DROP TABLE q")
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s")
    until("the row again", lambda: ids(spark, "q") == [1])


def test_a_checkpoint_must_be_empty(spark: Any, feed: Feed, tmp_path: Path) -> None:
    """DROP deletes it."""
    statement = f"CREATE CONTINUOUS QUERY q CHECKPOINT '{feed.folder}' AS SELECT id FROM s"
    feed.ids(1)
    refuses(spark, "CSQL_QUERY_CHECKPOINT", statement)


def test_a_checkpoint_lies_apart(spark: Any, feed: Feed, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE mine (id INT) USING parquet")
    (table,) = (
        r.data_type for r in spark.sql("DESCRIBE EXTENDED mine").collect() if r.col_name == "Location"
    )
    spark.sql(f"CREATE CONTINUOUS QUERY one CHECKPOINT '{tmp_path}/a/b' AS SELECT id FROM s")
    for folder in (
        f"{tmp_path}/a",
        f"{tmp_path}/a/b",
        f"{tmp_path}/a/b/c",
        table,
        f"{table}/c",
        "",
        "no://x/y",
    ):
        statement = f"CREATE CONTINUOUS QUERY q INTO mine CHECKPOINT '{folder}' AS SELECT id FROM s"
        refuses(spark, "CSQL_QUERY_CHECKPOINT", statement)
    spark.sql(f"CREATE CONTINUOUS QUERY q INTO mine CHECKPOINT '{tmp_path}/a/bc' AS SELECT id FROM s")


def test_answers_that_were_dropped_are_not_given_in_part(spark: Any, feed: Feed) -> None:
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s")
    until("the row", lambda: ids(spark, "q") == [1])
    spark.sql("STOP CONTINUOUS QUERY q")
    spark.sql("DROP TABLE q")
    refuses(spark, "CSQL_QUERY_ANSWERS_LOST", "RESUME CONTINUOUS QUERY q")


def test_a_resumed_query_sees_tables_as_they_are(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE TABLE named USING parquet AS SELECT 1 AS id")
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT s.id FROM s JOIN named ON s.id = named.id")
    until("the first row", lambda: ids(spark, "q") == [1])
    spark.sql("STOP CONTINUOUS QUERY q")
    spark.sql("INSERT OVERWRITE named SELECT 2 AS id")
    feed.ids(2)
    spark.sql("RESUME CONTINUOUS QUERY q")
    until("the second row", lambda: ids(spark, "q") == [1, 2])
    spark.sql("STOP CONTINUOUS QUERY q")
    spark.sql("DROP TABLE named")


def test_sessions_may_create_resume_and_drop_at_once(spark: Any, feed: Feed) -> None:
    feed.ids(1)
    create = "CREATE CONTINUOUS QUERY IF NOT EXISTS q AS SELECT id FROM s"
    with ThreadPoolExecutor(4) as several:
        for made in [several.submit(spark.newSession().sql, create) for _ in range(4)]:
            made.result()
        until("the row", lambda: ids(spark, "q") == [1])
        spark.sql("STOP CONTINUOUS QUERY q")
        statements = ["DROP CONTINUOUS QUERY q", *["RESUME CONTINUOUS QUERY q"] * 3]
        tried = [several.submit(spark.newSession().sql, statement) for statement in statements]
    for statement in tried:
        assert statement.exception() is None or "CSQL_QUERY_NOT_FOUND" in str(statement.exception())
    assert spark.sql("SHOW CONTINUOUS QUERIES").collect() == []
    spark.sql("DROP TABLE q")


def test_a_table_stays_fit_for_another_query(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE TABLE mine (n BIGINT) USING parquet")
    with pytest.raises(AnalysisException):  # append needs a watermark
        spark.sql("CREATE CONTINUOUS QUERY q INTO mine AS SELECT count(*) AS n FROM s")
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q INTO mine AS SELECT CAST(id AS BIGINT) AS n FROM s")
    until("the row", lambda: spark.table("mine").count() == 1)


def test_a_query_that_does_not_start_leaves_nothing(spark: Any, feed: Feed) -> None:
    with pytest.raises(AnalysisException):  # append needs a watermark
        spark.sql("CREATE CONTINUOUS QUERY q AS SELECT count(*) AS n FROM s")
    assert spark.sql("SHOW CONTINUOUS QUERIES").collect() == []
    assert not spark.catalog.tableExists("q")
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s")


def test_what_a_query_reads_must_not_change(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT * FROM s")
    spark.sql("STOP CONTINUOUS QUERY q")
    spark.sql(f"CREATE OR REPLACE STREAM s (id STRING) SOURCE 'json:{feed.folder}'")
    refuses(spark, "CSQL_QUERY_CHANGED", "RESUME CONTINUOUS QUERY q")


def test_a_trigger_is_at_least_a_millisecond(spark: Any) -> None:
    with pytest.raises(ParseException, match="CSQL_QUERY_TRIGGER"):
        spark.sql("CREATE CONTINUOUS QUERY q TRIGGER 5 MICROSECONDS AS SELECT id FROM s")


def test_a_checkpoint_is_no_folder_of_tables_or_definitions(spark: Any, feed: Feed, tmp_path: Path) -> None:
    """DROP would delete them."""
    warehouse = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
    spark.sql("CREATE TABLE ours (id INT) USING parquet")
    spark.sql(f"CREATE TABLE theirs (id INT) USING parquet LOCATION '{tmp_path}/far'")
    for folder in (
        f"{warehouse}/ours",
        f"{warehouse}/ours/inside",
        f"{tmp_path}/far",
        str(tmp_path),
        f"{warehouse}/_spark_csql/queries",
        f"{warehouse}/_spark_csql/checkpoints/other",
    ):
        refuses(
            spark,
            "CSQL_QUERY_CHECKPOINT",
            f"CREATE CONTINUOUS QUERY q CHECKPOINT '{folder}' AS SELECT id FROM s",
        )
    spark.sql("DROP TABLE ours")
    spark.sql("DROP TABLE theirs")


def test_drop_leaves_what_others_have_put_beside_its_progress(spark: Any, feed: Feed, tmp_path: Path) -> None:
    feed.ids(1)
    spark.sql(f"CREATE CONTINUOUS QUERY q AVAILABLE NOW CHECKPOINT '{tmp_path}/cp' AS SELECT id FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    (tmp_path / "cp" / "notes.txt").write_text("mine")
    spark.sql("DROP CONTINUOUS QUERY q")
    assert [path.name for path in (tmp_path / "cp").iterdir()] == ["notes.txt"]
    spark.sql("DROP TABLE q")


@pytest.mark.parametrize("replaced", ["DROP", "INSERT OVERWRITE"])
def test_a_table_of_somebody_else_is_not_written(spark: Any, feed: Feed, replaced: str) -> None:
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q AVAILABLE NOW AS SELECT id FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    if replaced == "DROP":
        spark.sql("DROP TABLE q")
        spark.sql("CREATE TABLE q (id INT) USING parquet")
        spark.sql("INSERT INTO q VALUES (100)")
    else:
        spark.sql("INSERT OVERWRITE q VALUES (100)")
    feed.ids(2)
    refuses(spark, "CSQL_QUERY_ANSWERS_LOST", "RESUME CONTINUOUS QUERY q")
    assert ids(spark, "q") == [100]


def test_a_session_that_knew_the_table_before_sees_its_rows(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE TABLE mine (id INT) USING parquet")
    other = spark.newSession()
    assert other.table("mine").count() == spark.table("mine").count() == 0
    feed.ids(1, 2)
    spark.sql("CREATE CONTINUOUS QUERY q INTO mine AVAILABLE NOW AS SELECT id FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    assert other.table("mine").count() == spark.table("mine").count() == 2
