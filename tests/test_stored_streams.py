"""Streams in files: where the rows stand in order, file by file, nothing is sorted; the answers are the same.

CSQL_RANDOM_SEED chooses another corpus.
"""

from __future__ import annotations

import os
import shutil
import time
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.batch import Batch
from tests.oracle import Catalog, answer
from tests.random_data import World
from tests.random_queries import QUERIES_PER_WORLD, RandomQuery, corpus
from tests.slt import Relation
from tests.stream_files import schema_text, write_batch
from tests.values import Row, difference

SEED = int(os.environ.get("CSQL_RANDOM_SEED", "20260303"))
QUERIES, USUAL = 4 * QUERIES_PER_WORLD, 2 * QUERIES_PER_WORLD
NUMBERS = [
    pytest.param(n, id=f"seed-{SEED}-query-{n}", marks=[pytest.mark.long] * (n >= USUAL))
    for n in range(QUERIES)
]


class Stored(Batch):
    """Relations in parquet files: ordered streams in order or nearly so, cut anywhere; all others in one file."""

    def __init__(self, spark: Any, relations: list[Relation], folder: Path, rng: Random) -> None:
        self.folder, self.rng = folder, rng
        super().__init__(spark, relations, partitions=1)

    def rows(self, relation: Relation) -> Any:
        files = self.cut(relation) if relation.order_by else [relation.rows]
        for number, rows in enumerate(files):
            write_batch(self.folder / relation.name, relation, number, rows)
        return self.spark.read.schema(schema_text(relation)).parquet(str(self.folder / relation.name))

    def cut(self, relation: Relation) -> list[list[Row]]:
        names = [column.name.lower() for column in relation.columns]
        places = [names.index(name.lower()) for name in relation.order_by]
        ordered = sorted(relation.rows, key=lambda row: [row[place] for place in places])
        if self.rng.random() < 0.3 and len(ordered) > 1:
            ordered[0], ordered[-1] = ordered[-1], ordered[0]
        edges = sorted(self.rng.randint(0, len(ordered)) for _ in range(self.rng.randint(0, 4)))
        return [ordered[a:b] for a, b in zip([0, *edges], [*edges, len(ordered)], strict=True)]


@cache
def questions() -> list[tuple[World, RandomQuery]]:
    return list(corpus(SEED, QUERIES))


@pytest.fixture(scope="module")
def stored(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Stored]:
    worlds = {id(world): world for world, _ in questions()}
    return {
        key: Stored(spark, world.relations, tmp_path_factory.mktemp("stored"), Random(f"{SEED} {number}"))
        for number, (key, world) in enumerate(worlds.items())
    }


@pytest.mark.parametrize("number", NUMBERS)
def test_random_query(stored: dict[int, Stored], number: int) -> None:
    world, query = questions()[number]
    right = answer(Catalog.of(world.relations), query.sql)
    told = difference(right.rows, stored[id(world)].answer(query.sql), right.ordered)
    assert told is None, f"CSQL_RANDOM_SEED={SEED} query {number}\n{query.sql}\n{told}"


def test_rows_in_order_are_not_sorted(spark: Any, tmp_path: Path) -> None:
    """Files of falling size: Spark reads the largest first."""
    session = spark.newSession()
    frame = session.range(1000).selectExpr("id AS v", "timestamp_seconds(id) AS ts")
    for number, (start, end) in enumerate([(600, 1000), (300, 600), (100, 300), (0, 100)]):
        frame.where(f"v >= {start} AND v < {end}").coalesce(1).write.parquet(str(tmp_path / f"n={number}"))
    session.read.parquet(str(tmp_path)).createOrReplaceTempView("files")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, ts FROM files")
    answered = session.sql("SELECT SUM(v) AS x FROM s [Rows 3, Frequency 10 Tuples]")
    assert [row.x for row in answered.collect()] == [3 * n - 6 for n in range(10, 1001, 10)]
    assert "rows are in order" in answered._jdf.queryExecution().executedPlan().toString()


def test_one_row_out_of_order_has_all_sorted(spark: Any, tmp_path: Path) -> None:
    """The row stands in the last file and belongs into the first."""
    session = spark.newSession()
    frame = session.range(1000).selectExpr("id AS v", "timestamp_seconds(IF(id = 997, 5, id)) AS ts")
    frame.repartitionByRange(4, "v").sortWithinPartitions("v").write.parquet(str(tmp_path / "files"))
    session.read.parquet(str(tmp_path / "files")).createOrReplaceTempView("files")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, ts FROM files")
    answered = session.sql("SELECT SUM(v) AS x FROM s [Rows 3, Frequency 10 Tuples]")
    after = [3 * n - 9 for n in range(20, 991, 10)]  # the row is the seventh: those after it come one later
    assert [row.x for row in answered.collect()] == [6 + 7 + 8, *after, 996 + 998 + 999]
    assert "rows are sorted" in answered._jdf.queryExecution().executedPlan().toString()


def test_a_missing_time_fails_though_its_row_is_in_no_window(spark: Any, tmp_path: Path) -> None:
    session = spark.newSession()
    frame = session.range(1000).selectExpr("id AS v", "IF(id = 500, NULL, timestamp_seconds(id)) AS ts")
    frame.coalesce(1).write.parquet(str(tmp_path / "files"))
    session.read.parquet(str(tmp_path / "files")).createOrReplaceTempView("files")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, ts FROM files")
    with pytest.raises(Exception, match="CSQL_NULL_TIME"):
        session.sql("SELECT SUM(v) AS x FROM s [Rows 1, Frequency 1000 Tuples]").collect()


ANSWERS = "SELECT SUM(v) AS x FROM s [Rows 3, Frequency 10 Tuples]"
LONG_AGO, LATER = 1_700_000_000, 1_700_000_100  # seconds


def write_one_file(session: Any, folder: Path, rows: str, changed: int) -> Path:
    """Without compression: the same rows in another order are as long."""
    frame = session.range(1000).selectExpr(f"{rows} AS v").selectExpr("v", "timestamp_seconds(v) AS ts")
    plain = {"compression": "none", "parquet.enable.dictionary": "false"}
    frame.coalesce(1).write.options(**plain).parquet(str(folder))
    [file] = folder.glob("part-*.parquet")
    os.utime(file, (changed, changed))
    return file


def jobs_of(session: Any, query: str, name: str) -> tuple[int, list[int]]:
    """How many jobs Spark runs for a query, and its answer."""
    context = session.sparkContext
    context.setJobGroup(name, name)
    try:
        rows = [row.x for row in session.sql(query).collect()]
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    return len(context.statusTracker().getJobIdsForGroup(name)), rows


def test_files_are_looked_at_once(spark: Any, tmp_path: Path) -> None:
    session = spark.newSession()
    write_one_file(session, tmp_path / "files", "id", LONG_AGO)
    session.read.parquet(str(tmp_path / "files")).createOrReplaceTempView("files")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, ts FROM files")
    right = [3 * n - 6 for n in range(10, 1001, 10)]
    first, answered = jobs_of(session, ANSWERS, f"{tmp_path} first")
    assert answered == right
    again, answered = jobs_of(session, ANSWERS, f"{tmp_path} again")
    assert answered == right
    assert again == first - 1
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")  # which some files are read by
    assert jobs_of(session, ANSWERS, f"{tmp_path} other settings") == (first, right)


def test_a_file_that_has_changed_is_looked_at_again(spark: Any, tmp_path: Path) -> None:
    """Though Spark has listed it before, and it is as long as it was."""
    session = spark.newSession()
    file = write_one_file(session, tmp_path / "files", "id", LONG_AGO)
    other = write_one_file(session, tmp_path / "others", "999 - id", LATER)
    assert file.stat().st_size == other.stat().st_size
    session.read.parquet(str(tmp_path / "files")).createOrReplaceTempView("files")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, ts FROM files")
    right = [3 * n - 6 for n in range(10, 1001, 10)]
    assert [row.x for row in session.sql(ANSWERS).collect()] == right
    shutil.copy2(other, file)
    shutil.copy2(other.with_name(f".{other.name}.crc"), file.with_name(f".{file.name}.crc"))
    answered = session.sql(ANSWERS)
    assert [row.x for row in answered.collect()] == right
    assert "rows are sorted" in answered._jdf.queryExecution().executedPlan().toString()


def test_a_file_that_has_just_changed_is_not_remembered(spark: Any, tmp_path: Path) -> None:
    """It may change again within the smallest time that its system tells."""
    session = spark.newSession()
    write_one_file(session, tmp_path / "files", "id", int(time.time()) + 3600)
    session.read.parquet(str(tmp_path / "files")).createOrReplaceTempView("files")
    session.sql("CREATE TEMPORARY STREAM s ORDER BY ts AS SELECT v, ts FROM files")
    first, answered = jobs_of(session, ANSWERS, f"{tmp_path} first")
    assert jobs_of(session, ANSWERS, f"{tmp_path} again") == (first, answered)
