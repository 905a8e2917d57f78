"""A Connect server, and thin clients: they have no Java of their own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import spark_csql
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql.connect.session import SparkSession  # beside the session that other tests share
from spark_csql.cli.main import main

from tests import parity
from tests.servers import CSQL, Served, until

pytestmark = pytest.mark.xdist_group("servers")


def client(server: Served) -> Any:
    """A session of its own on the server."""
    builder = SparkSession.builder.remote(f"sc://127.0.0.1:{server.port}")
    return spark_csql.configure(builder).create()


@pytest.fixture(scope="module")
def thin(connect_server: Served) -> Iterator[Any]:
    session = client(connect_server)
    yield session
    session.stop()


def ids(frame: Any) -> list[int]:
    return [row.id for row in frame.collect()]


def test_fifty_queries(thin: Any) -> None:
    scenes = parity.scenes()
    assert parity.differences(scenes, parity.answers(scenes, thin)) == []


def test_fifty_queries_in_process(spark: Any) -> None:
    scenes = parity.scenes()
    assert parity.differences(scenes, parity.answers(scenes, spark.newSession())) == []


def test_some_queries_by_the_shell(connect_server: Served) -> None:
    scenes = parity.scenes()[::5]
    done = subprocess.run(
        [CSQL, "shell", "--json", "--limit", "0", "--remote", f"sc://127.0.0.1:{connect_server.port}"],
        input=parity.script(scenes),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]
    assert parity.differences(scenes, parity.by_mark(rows)) == []


def test_parameters_are_bound(thin: Any) -> None:
    named = "SELECT id FROM range(10) [Rows :n] WHERE id > :least"
    assert ids(thin.sql(named, args={"n": 3, "least": 7})) == [8, 9]
    assert ids(thin.sql("SELECT id FROM range(10) [Rows ?] WHERE id > ?", args=[3, 7])) == [8, 9]


def test_what_a_program_adds_is_not_part_of_the_query(thin: Any) -> None:
    """The server analyses the text and what follows it at once."""
    frame = thin.sql("SELECT id FROM range(10) [Rows 3]")
    assert frame.count() == 10
    assert frame.where("id > 7").count() == 2
    assert [row.total for row in frame.groupBy().sum("id").toDF("total").collect()] == [45]
    assert ids(frame.orderBy(frame.id.desc()).limit(2)) == [9, 8]
    counts = thin.sql("SELECT id % 2 AS odd, COUNT(*) AS n FROM range(6) [Rows 4] GROUP BY id % 2")
    assert sorted(tuple(row) for row in counts.groupBy("odd").max("n").collect()) == [(0, 2), (1, 2)]
    frame.createOrReplaceTempView("tens")
    assert thin.sql("SELECT COUNT(*) AS n FROM tens").collect()[0].n == 10


def test_an_aggregate_in_python(thin: Any) -> None:
    class Widest:
        """The largest distance of two neighbours."""

        def initialize(self, x: int) -> None:
            self.last, self.widest = x, 0

        def iterate(self, x: int) -> int:
            self.widest = max(self.widest, x - self.last)
            self.last = x
            return self.widest

    spark_csql.aggregate(thin, "widest(x INT) : INT", Widest)
    found = thin.sql("SELECT widest(x) AS w FROM VALUES (1), (2), (5), (6) AS t(x)").collect()
    assert [row.w for row in found] == [1, 3, 3]


def test_errors_tell_class_and_place(thin: Any) -> None:
    with pytest.raises(ParseException) as parsed:
        thin.sql("SELECT id\nFROM range(10) [Rows 0]")
    assert parsed.value.getCondition() == "CSQL_LENGTH_NOT_POSITIVE"
    assert parsed.value.getSqlState() == "42601"
    assert "(line 2, pos 21)" in str(parsed.value)
    assert [context.fragment() for context in parsed.value.getQueryContext()] == ["0"]
    with pytest.raises(AnalysisException) as analysed:
        thin.sql("SELECT id FROM range(10) [Range 3 Seconds]").collect()
    assert analysed.value.getCondition() == "CSQL_TIME_COLUMN_MISSING"
    assert [context.fragment() for context in analysed.value.getQueryContext()] == ["Range 3 Seconds"]


def test_a_stream_is_read_and_written(thin: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "one.json").write_text(
        "".join(f'{{"id": {i}, "ts": "2026-01-01T00:00:0{i}Z"}}\n' for i in range(5))
    )
    read = thin.readStream.schema("id INT, ts TIMESTAMP").json(str(folder)).withWatermark("ts", "0 seconds")
    read.createOrReplaceTempView("arrivals")
    answer = thin.sql("SELECT id, COUNT(*) AS n FROM arrivals [Range 2 Seconds] GROUP BY id")
    assert answer.isStreaming
    query = answer.writeStream.format("memory").queryName("counted").trigger(availableNow=True).start()
    query.awaitTermination()
    # The last one waits: more rows of its time could come.
    assert sorted(tuple(row) for row in thin.table("counted").collect()) == [(0, 1), (1, 1), (2, 1), (3, 1)]


def test_a_dropped_stream_leaves_nothing_behind(connect_server: Served) -> None:
    mine = client(connect_server)
    spark_csql.declare_stream(mine.range(3), "declared")
    again = spark_csql.declare_stream(mine.range(5), "declared", replace=True)
    assert again.frame().count() == 5
    again.drop()
    assert not any(row.isTemporary for row in mine.sql("SHOW TABLES").collect())
    mine.stop()


def test_a_query_of_another_session(connect_server: Served, thin: Any, tmp_path: Path) -> None:
    """One makes it and goes, one reads while it runs, one stops it."""
    folder = tmp_path / "in"
    folder.mkdir()
    maker = client(connect_server)
    maker.sql(f"CREATE STREAM came (id INT) SOURCE 'json:{folder}'")
    maker.sql(
        "CREATE CONTINUOUS QUERY kept AS SELECT id FROM came [Rows 1] WHERE id > :least", args={"least": 0}
    )
    maker.stop()
    (folder / "one.json").write_text('{"id": 1}\n{"id": -1}\n')
    until("the first row", lambda: ids(thin.table("kept")) == [1])
    (folder / "two.json").write_text('{"id": 2}\n')
    until("the second row", lambda: sorted(ids(thin.table("kept"))) == [1, 2])
    shown = {row.name: row.status for row in thin.sql("SHOW CONTINUOUS QUERIES").collect()}
    assert shown["kept"] == "RUNNING"
    third = client(connect_server)
    third.sql("STOP CONTINUOUS QUERY kept")
    third.stop()
    told = {row.name: row.value for row in thin.sql("DESCRIBE CONTINUOUS QUERY kept").collect()}
    assert told["status"] == "STOPPED"


def test_eight_clients_at_once(connect_server: Served) -> None:
    def work(number: int) -> list[int]:
        mine = client(connect_server)
        try:
            mine.sql(f"CREATE TEMPORARY STREAM mine AS SELECT id * {number} AS id FROM range(20)")
            return [
                row.n
                for row in mine.sql("SELECT SUM(id) AS n FROM mine [Rows 5, Frequency 10 Tuples]").collect()
            ]
        finally:
            mine.stop()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [[35 * n, 85 * n] for n in range(8)]


def test_a_port_in_use(connect_server: Served, capsys: pytest.CaptureFixture[str]) -> None:
    """Said in one sentence; before it, who may come when it is not only this machine."""
    taken = str(connect_server.port)
    assert main(["serve", "thrift", "--port", taken]) == 1
    assert capsys.readouterr().err == (
        f"Error: The Thrift server cannot listen on 127.0.0.1:{taken}: Address already in use.\n"
    )
    assert main(["serve", "connect", "--host", "0.0.0.0", "--port", taken]) == 1
    warning, error = capsys.readouterr().err.splitlines()
    assert warning.startswith(
        f"WARNING: The Connect server listens on 0.0.0.0:{taken}, for other machines too,"
    )
    assert "spark.connect.authenticate.token" in warning
    assert error.startswith("Error: The Connect server cannot listen on 0.0.0.0:")
