"""Streams that CREATE STREAM … SOURCE and … USING declare, read through plain streaming queries."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

COLUMNS = "(id INT, name STRING, ts TIMESTAMP)"


@pytest.fixture
def streams(spark: Any) -> Iterator[Callable[[str], None]]:
    """Runs CREATE STREAM statements and drops what they made."""

    def drop() -> None:
        for row in spark.sql("SHOW STREAMS").collect():
            spark.sql(f"DROP STREAM IF EXISTS `{row.streamName.replace('`', '``')}`")

    drop()
    yield spark.sql
    drop()


def answer(spark: Any, query: str) -> tuple[list[tuple[Any, ...]], int]:
    """All rows of a streaming query over what there is, and how many rows its sources rejected."""
    running = (
        spark.sql(query).writeStream.format("memory").queryName("answer").trigger(availableNow=True).start()
    )
    try:
        running.awaitTermination()
        rejected = sum(
            metrics.rows
            for progress in running.recentProgress
            for name, metrics in progress.observedMetrics.items()
            if name.startswith("csql_rejected:")
        )
        return sorted(tuple(row) for row in spark.table("answer").collect()), rejected
    finally:
        running.stop()
        spark.catalog.dropTempView("answer")


def write(folder: Path, name: str, *lines: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(lines) + "\n")


def test_json_files_and_rows_that_do_not_fit(spark: Any, streams: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", "a", '{"id": 1, "name": "x", "other": 0}', '{"id": "one"}', "no json", '{"id": 2}')
    streams(f"CREATE STREAM s {COLUMNS} ORDER BY ts SOURCE 'json:{tmp_path}/in'")
    assert spark.table("s").isStreaming
    assert answer(spark, "SELECT id, name FROM s") == ([(1, "x"), (2, None)], 2)


def test_a_row_fits_or_not_whatever_columns_a_query_asks_for(
    spark: Any, streams: Any, tmp_path: Path
) -> None:
    for form, good, bad in (
        ("json", '{"id": 1, "name": "x"}', '{"id": "one", "name": "y"}'),
        ("csv", "1,x,2026-01-01T00:00:00Z", "one,y,2026-01-01T00:00:00Z"),
    ):
        write(tmp_path / form, "a", good, bad)
        streams(f"CREATE STREAM {form} {COLUMNS} SOURCE '{form}:{tmp_path}/{form}'")
        assert answer(spark, f"SELECT name FROM {form}") == ([("x",)], 1)
        assert answer(spark, f"SELECT 1 AS one FROM {form}") == ([(1,)], 1)


def test_csv_files(spark: Any, streams: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", "a", "id,name,ts", "1,x,2026-01-01T00:00:00Z", "2,y", "3,z,never")
    streams(f"CREATE STREAM s {COLUMNS} SOURCE '{tmp_path}/in?format=csv&header=true'")
    assert answer(spark, "SELECT id, name FROM s") == ([(1, "x")], 2)
    streams(f"CREATE STREAM t {COLUMNS} USING csv OPTIONS (path '{tmp_path}/in', header 'true')")
    assert answer(spark, "SELECT id, name FROM t") == ([(1, "x")], 2)
    streams(
        f"CREATE STREAM u {COLUMNS} USING csv OPTIONS (path '{tmp_path}/in', header 'true', mode 'DROPMALFORMED')"
    )
    rows, rejected = answer(spark, "SELECT * FROM u")
    assert ([row[0] for row in rows], rejected) == ([1], 0)


def test_parquet_files_by_extension(spark: Any, streams: Any, tmp_path: Path) -> None:
    spark.sql("SELECT 1 AS id, 'x' AS name UNION ALL SELECT 2, NULL").write.parquet(f"{tmp_path}/in.parquet")
    streams(f"CREATE STREAM s (id INT, name STRING) SOURCE 'file:{tmp_path}/in.parquet'")
    rows, rejected = answer(spark, "SELECT id, coalesce(name, '') FROM s")
    assert (rows, rejected) == ([(1, "x"), (2, "")], 0)


def test_a_column_that_must_not_be_null(spark: Any, streams: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", "a", '{"id": 1}', '{"name": "y"}', '{"id": null}')
    streams(f"CREATE STREAM s (id INT NOT NULL, name STRING) SOURCE 'json:{tmp_path}/in'")
    assert answer(spark, "SELECT id FROM s") == ([(1,)], 2)


def test_one_query_reads_two_streams_and_one_of_them_twice(spark: Any, streams: Any, tmp_path: Path) -> None:
    write(tmp_path / "a", "a", '{"id": 1}', "bad")
    write(tmp_path / "b", "b", '{"id": 2}', "bad", "worse")
    streams(f"CREATE STREAM a (id INT) SOURCE 'json:{tmp_path}/a'")
    streams(f"CREATE STREAM b (id INT) SOURCE 'json:{tmp_path}/b'")
    assert answer(spark, "SELECT id FROM a UNION ALL SELECT id FROM b") == ([(1,), (2,)], 3)
    rows, _ = answer(spark, "SELECT id FROM a UNION ALL SELECT id + 1 FROM a")
    assert rows == [(1,), (2,)]


def test_rate(spark: Any, streams: Any) -> None:
    streams(
        "CREATE STREAM r (value INT, timestamp TIMESTAMP) ORDER BY timestamp SOURCE 'rate://?rowsPerSecond=7'"
    )
    streams("CREATE STREAM plain USING rate OPTIONS (rowsPerSecond 7)")
    assert [(f.name, f.dataType.simpleString()) for f in spark.table("r").schema] == [
        ("value", "int"),
        ("timestamp", "timestamp"),
    ]
    assert spark.table("plain").columns == ["timestamp", "value"]
    described = {row.name: row.value for row in spark.sql("DESCRIBE STREAM r").collect()}
    assert described["# Source"] == "rate (rowsPerSecond=7)"
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        streams("CREATE STREAM wrong (speed INT) SOURCE 'rate'")


class Lines(socketserver.StreamRequestHandler):
    """Sends its lines and keeps the line open, as Spark closes it."""

    lines: tuple[str, ...] = ()

    def handle(self) -> None:
        for line in self.lines:
            self.wfile.write(line.encode() + b"\n")
        self.wfile.flush()
        self.rfile.read()


@pytest.fixture
def serve() -> Iterator[Callable[..., int]]:
    servers = []

    def start(*lines: str) -> int:
        handler = type("Handler", (Lines,), {"lines": lines})
        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return int(server.server_address[1])

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("columns", "options", "lines", "expected"),
    [
        (
            "(id INT, name STRING)",
            "",
            ['{"id": 1}', "bad", "", '{"id": 2, "name": "b"}'],
            ([(1, None), (2, "b")], 2),
        ),
        ("(id INT, name STRING)", "?format=csv", ["1,a", "x,b", "", "2,b"], ([(1, "a"), (2, "b")], 1)),
        ("(line STRING)", "", ["{}", "any text"], ([("any text",), ("{}",)], 0)),
    ],
)
def test_socket(
    spark: Any, streams: Any, serve: Any, columns: str, options: str, lines: list[str], expected: Any
) -> None:
    port = serve(*lines)
    streams(f"CREATE STREAM s {columns} SOURCE 'socket://127.0.0.1:{port}{options}'")
    running = spark.sql("SELECT * FROM s").writeStream.format("memory").queryName("answer").start()
    try:
        seen = 0
        while seen < len(lines):
            running.processAllAvailable()
            seen = sum(progress.numInputRows for progress in running.recentProgress)
        rejected = sum(m.rows for p in running.recentProgress for m in p.observedMetrics.values())
        assert (sorted(tuple(row) for row in spark.table("answer").collect()), rejected) == expected
    finally:
        running.stop()
        spark.catalog.dropTempView("answer")


def test_kafka_needs_its_connector(spark: Any, streams: Any) -> None:
    with pytest.raises(AnalysisException, match=r"CSQL_SOURCE_UNAVAILABLE.*spark-sql-kafka-0-10_2\.13"):
        streams("CREATE STREAM k (id INT) SOURCE 'kafka://127.0.0.1:9092/topic'")


@pytest.mark.parametrize(
    "source",
    [
        "/data/in",
        "socket://host",
        "socket://127.0.0.1:99x",
        "kafka://host:9",
        "json:",
        "json:/x?format=csv",
        "csv:/x?sep=%",
        "",
    ],
)
def test_sources_that_cannot_be_read(spark: Any, streams: Any, source: str) -> None:
    with pytest.raises(AnalysisException, match="CSQL_SOURCE_INVALID"):
        streams(f"CREATE STREAM s (id INT, n INT) SOURCE '{source}'")


def test_hostile_names_and_paths(spark: Any, streams: Any, tmp_path: Path) -> None:
    folder = tmp_path / "it's $(1) -- %41 ö"
    write(folder, "a", json.dumps({"q'`\" $y": 1}))
    path = str(folder).replace("'", "\\'")
    streams(f"CREATE TEMPORARY STREAM `s'; DROP` (`q'``\" $y` INT) SOURCE 'json:{path}'")
    assert answer(spark, "SELECT * FROM `s'; DROP`") == ([(1,)], 0)


def test_secrets_are_not_shown(spark: Any, streams: Any) -> None:
    streams("CREATE STREAM s USING rate OPTIONS (rowsPerSecond 1, `my.password` 'hush', token 'hush')")
    shown = str(spark.sql("DESCRIBE STREAM s").collect())
    assert "hush" not in shown
    assert "rowsPerSecond=1" in shown


def test_streams_with_a_source_are_streams_like_others(spark: Any, streams: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", "a", '{"id": 1}')
    create = f"STREAM s (id INT, ts TIMESTAMP) ORDER BY ts SLACK 5 SECONDS LATE INTO late SOURCE 'json:{tmp_path}/in'"
    streams(f"CREATE {create}")
    with pytest.raises(AnalysisException, match="CSQL_STREAM_EXISTS"):
        streams(f"CREATE {create}")
    streams(f"CREATE OR REPLACE {create}")
    streams("CREATE STREAM IF NOT EXISTS s (id INT) SOURCE 'rate'")
    assert [row.streamName for row in spark.sql("SHOW STREAMS").collect()] == ["late", "s"]
    assert spark.table("late").isStreaming
    streams("CREATE TEMPORARY STREAM t AS SELECT id FROM s WHERE id > 0")
    assert answer(spark, "SELECT * FROM t") == ([(1,)], 0)
    with pytest.raises(AnalysisException, match="CSQL_COLUMN_NOT_FOUND"):
        streams(f"CREATE STREAM wrong (id INT) ORDER BY ts SOURCE 'json:{tmp_path}/in'")


@pytest.mark.parametrize(
    ("create", "condition"),
    [
        ("STREAM s (id INT, name VARCHAR(5)) SOURCE 'json:{}'", "CSQL_NOT_SUPPORTED_YET"),
        ("STREAM s (id INT, names ARRAY<CHAR(5)>) USING rate", "CSQL_NOT_SUPPORTED_YET"),
        ("STREAM s SOURCE 'json:{}'", "CSQL_SOURCE_COLUMNS"),
        ("STREAM s USING parquet OPTIONS (path '{}')", "CSQL_SOURCE_COLUMNS"),
    ],
)
def test_columns_that_cannot_be_kept(
    spark: Any, streams: Any, tmp_path: Path, create: str, condition: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        streams("CREATE " + create.format(tmp_path))
    assert error.value.getCondition() == condition


@pytest.mark.parametrize("arguments", ["", "NULL", "1", "'x'", "'{}'", "'%'", "'{}', '{}'"])
def test_the_function_behind_streams_is_theirs_alone(spark: Any, arguments: str) -> None:
    with pytest.raises(AnalysisException, match="CSQL_SOURCE_INVALID"):
        spark.sql(f"SELECT * FROM csql_source({arguments})")


def test_who_wants_rows_back_is_refused(spark: Any, streams: Any) -> None:
    streams("CREATE STREAM r USING rate")
    with pytest.raises(AnalysisException, match="CREATE CONTINUOUS QUERY … AS SELECT … keeps the answer"):
        spark.sql("SELECT * FROM r").collect()
    with pytest.raises(AnalysisException, match="CREATE CONTINUOUS QUERY … AS SELECT … keeps the answer"):
        spark.sql("SELECT COUNT(*) FROM r [Range 1 Minute]").collect()
