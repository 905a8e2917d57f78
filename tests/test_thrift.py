"""A Thrift server, with beeline and a client from Python; it goes on where the Connect server ended."""

from __future__ import annotations

import csv
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from impala.dbapi import connect
from impala.error import OperationalError
from spark_csql.settings import spark_home

from tests import parity
from tests.servers import Served, until
from tests.test_connect import client as connect_client

pytestmark = pytest.mark.xdist_group("servers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stream of the query that is resumed gets its rows."""
    return tmp_path_factory.mktemp("before")


@pytest.fixture(scope="module")
def server(connect_server: Served, warehouse: Path, folder: Path) -> Iterator[Served]:
    """Takes the place of a server where one query runs and another one has been stopped."""
    maker = connect_client(connect_server)
    maker.sql(f"CREATE STREAM before (id INT) SOURCE 'json:{folder}'")
    for name in ("interrupted", "halted"):
        maker.sql(f"CREATE CONTINUOUS QUERY {name} AS SELECT id FROM before")
    maker.sql("STOP CONTINUOUS QUERY halted")
    maker.stop()
    assert connect_server.end() == 0, connect_server.errors
    assert not any("terminated with error" in line for line in connect_server.errors), connect_server.errors
    elsewhere = {"HIVE_SERVER2_THRIFT_BIND_HOST": "0.0.0.0", "HIVE_SERVER2_THRIFT_PORT": "1"}  # not heeded
    server = Served("thrift", "--warehouse", warehouse, "--resume", **elsewhere)
    ready = f"The Thrift server is ready: jdbc:hive2://127.0.0.1:{server.port}\n"
    assert server.ready_line() == ready, server.errors
    yield server
    assert server.end() == 0, server.errors


class Client:
    """A client of its own, and its session on the server."""

    def __init__(self, server: Served) -> None:
        self.connection = connect(
            host="127.0.0.1", port=server.port, auth_mechanism="PLAIN", user="someone", password="any"
        )
        self.cursor = self.connection.cursor()

    def run(self, sql: str) -> None:
        self.cursor.execute(sql)

    def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
        self.cursor.execute(sql, parameters)
        return list(self.cursor.fetchall())

    def ids(self, table: str) -> list[int]:
        return sorted(row[0] for row in self.rows(f"SELECT id FROM {table}"))

    def statuses(self) -> dict[str, str]:
        return {row[0]: row[1] for row in self.rows("SHOW CONTINUOUS QUERIES")}

    def close(self) -> None:
        self.cursor.close()
        self.connection.close()


@pytest.fixture
def client(server: Served) -> Iterator[Client]:
    with closing(Client(server)) as made:
        yield made


def beeline(server: Served, *words: str) -> subprocess.CompletedProcess[str]:
    program = spark_home() / "bin" / "beeline"
    url = f"jdbc:hive2://127.0.0.1:{server.port}"
    environment = {**os.environ, "SPARK_HOME": str(spark_home())}
    return subprocess.run(
        [program, "-u", url, "-n", "someone", "--silent=true", *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def test_what_ran_is_resumed(server: Served, client: Client, folder: Path) -> None:
    """What had been stopped by a statement stays so."""
    statuses = client.statuses()
    assert (statuses["interrupted"], statuses["halted"]) == ("RUNNING", "STOPPED")
    assert "spark-csql: the continuous query interrupted was resumed\n" in server.errors
    (folder / "one.json").write_text('{"id": 1}\n')
    until("the row", lambda: client.ids("interrupted") == [1])
    client.run("STOP CONTINUOUS QUERY interrupted")


def test_fifty_queries_by_beeline(server: Served) -> None:
    scenes = parity.scenes()
    done = beeline(server, "--outputformat=csv2", "--showHeader=false", "-e", parity.script(scenes))
    assert done.returncode == 0, done.stderr[-4000:]
    rows = [row for row in csv.reader(done.stdout.splitlines()) if row]
    assert parity.differences(scenes, parity.by_mark(rows)) == []


def test_parameters(client: Client) -> None:
    text = "SELECT id FROM range(10) [Rows %(n)s] WHERE id > %(least)s"
    assert client.rows(text, {"n": 3, "least": 7}) == [(8,), (9,)]
    bound = (
        "EXECUTE IMMEDIATE 'SELECT id FROM range(10) [Rows :n] WHERE id > :least' USING 3 AS n, 7 AS least"
    )
    assert client.rows(bound) == [(8,), (9,)]


def test_one_makes_one_reads_one_stops(server: Served, client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    with closing(Client(server)) as maker:
        maker.run(f"CREATE STREAM arrived (id INT, ts TIMESTAMP) ORDER BY ts SOURCE 'json:{folder}'")
        maker.run("CREATE CONTINUOUS QUERY arrivals_counted AS SELECT COUNT(*) AS id FROM arrived [Rows 2]")
    (folder / "one.json").write_text(
        "".join(f'{{"id": {i}, "ts": "2026-01-01T00:00:0{i}Z"}}\n' for i in range(3))
    )
    until("the first rows", lambda: client.ids("arrivals_counted") == [1, 2])
    (folder / "two.json").write_text('{"id": 9, "ts": "2026-01-01T00:00:09Z"}\n')
    until("the next row", lambda: client.ids("arrivals_counted") == [1, 2, 2])
    with closing(Client(server)) as third:
        third.run("STOP CONTINUOUS QUERY arrivals_counted")
    assert client.statuses()["arrivals_counted"] == "STOPPED"


def test_eight_clients_at_once(server: Served) -> None:
    def work(number: int) -> list[int]:
        with closing(Client(server)) as mine:
            mine.run(f"CREATE TEMPORARY STREAM mine AS SELECT id * {number} AS id FROM range(20)")
            return [n for (n,) in mine.rows("SELECT SUM(id) AS n FROM mine [Rows 5, Frequency 10 Tuples]")]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [[35 * n, 85 * n] for n in range(8)]


def test_errors_tell_class_and_place(server: Served, client: Client) -> None:
    with pytest.raises(OperationalError) as refused:
        client.rows("SELECT id\nFROM range(10) [Rows 0]")
    assert "[CSQL_LENGTH_NOT_POSITIVE]" in str(refused.value)
    assert "SQLSTATE: 42601 (line 2, pos 21)" in str(refused.value)
    done = beeline(server, "-e", "SELECT id FROM range(10) [Rows 0]")
    assert done.returncode != 0
    assert "CSQL_LENGTH_NOT_POSITIVE" in done.stderr
    assert "(line 1, pos 31)" in done.stderr


def test_an_answer_without_end_is_refused(client: Client) -> None:
    client.run("CREATE TEMPORARY STREAM ticks SOURCE 'rate'")
    with pytest.raises(OperationalError, match="CREATE CONTINUOUS QUERY … AS SELECT … keeps the answer"):
        client.rows("SELECT value FROM ticks [Rows 2]")
