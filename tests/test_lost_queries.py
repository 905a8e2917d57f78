"""Continuous queries whose application, lock or definition was lost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

from tests.continuous import Feed, clean, ids, status, until


@pytest.fixture
def feed(spark: Any, tmp_path: Path) -> Iterator[Feed]:
    made = Feed(tmp_path / "in")
    spark.sql(f"CREATE STREAM s (id INT, ts TIMESTAMP) SOURCE 'json:{made.folder}'")
    yield made
    clean(spark)


def files(spark: Any, pattern: str) -> list[Path]:
    return list(
        Path(spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")).glob(f"_spark_csql/{pattern}")
    )


def test_a_query_that_lost_its_lock_is_not_told_to_run(spark: Any, feed: Feed) -> None:
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s")
    until("the row", lambda: ids(spark, "q") == [1])
    (lock,) = files(spark, "queries/q-*.lock")
    lock.unlink()
    until("the end", lambda: status(spark, "q") == "STOPPED")
    feed.ids(2)
    spark.sql("RESUME CONTINUOUS QUERY q")
    until("the row after RESUME", lambda: ids(spark, "q") == [1, 2])


def test_what_another_application_took_over_is_its_own(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE CONTINUOUS QUERY q AS SELECT id FROM s")
    (lock,) = files(spark, "queries/q-*.lock")
    (definition,) = files(spark, "queries/q-*.json")
    lock.write_text("another application\n0")
    until("the end here, and no sign of life elsewhere", lambda: status(spark, "q") == "STOPPED")
    assert '"status":"RUNNING"' in definition.read_text()
    lock.write_text("another application\n1")
    assert status(spark, "q") == "RUNNING"
    lock.unlink()


def test_what_a_drop_that_was_cut_short_left_is_cleared_away(spark: Any, feed: Feed) -> None:
    feed.ids(1)
    spark.sql("CREATE CONTINUOUS QUERY q INTO t1 AVAILABLE NOW AS SELECT id FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    (definition,) = files(spark, "queries/q-*.json")
    definition.unlink()
    assert files(spark, "checkpoints/q-*")
    spark.sql("CREATE CONTINUOUS QUERY q INTO t2 AVAILABLE NOW AS SELECT id FROM s")
    until("the second end", lambda: status(spark, "q") == "FINISHED")
    assert ids(spark, "t2") == [1]
    spark.sql("DROP TABLE t1")


def test_a_query_that_was_dropped_elsewhere_is_not_resumed(spark: Any, feed: Feed) -> None:
    spark.sql("CREATE CONTINUOUS QUERY q AVAILABLE NOW AS SELECT id FROM s")
    until("the end", lambda: status(spark, "q") == "FINISHED")
    (definition,) = files(spark, "queries/q-*.json")
    lock = definition.with_suffix(".lock")
    lock.write_text("another application\n0")
    with ThreadPoolExecutor() as pool:
        resuming = pool.submit(spark.sql, "RESUME CONTINUOUS QUERY q")
        definition.unlink()
        lock.unlink()
        with pytest.raises(AnalysisException, match="CSQL_QUERY_NOT_FOUND"):
            resuming.result()
    spark.sql("DROP TABLE q")
