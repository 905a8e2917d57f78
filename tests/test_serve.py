"""A Connect server from its start to its end: who may come, and what ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from spark_csql.server import CONNECT, Server

from tests.servers import CSQL, DEADLINE, Served, free_port, until

pytestmark = pytest.mark.xdist_group("servers")

TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
TICKS = "CREATE STREAM ticks SOURCE 'rate'; CREATE CONTINUOUS QUERY kept AS SELECT value FROM ticks"
ENDLESS = "SELECT COUNT(*) AS n FROM range(100000000000000)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(
        "connect", "--warehouse", tmp_path_factory.mktemp("kept"), before=["nohup"], **{TOKEN: "secret"}
    )
    assert served.ready_line() == f"The Connect server is ready: sc://localhost:{served.port}\n", (
        served.errors
    )
    yield served
    served.kill()


def run(server: Served, sql: str, token: str = "secret", place: str = "127.0.0.1") -> tuple[int, str, str]:
    done = subprocess.run(
        [CSQL, "run", "--remote", f"sc://{place}:{server.port}", "-e", sql],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, TOKEN: token},
        timeout=DEADLINE,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("place", ["127.0.0.1", "localhost"])
def test_who_shows_the_token_may_come(server: Served, place: str) -> None:
    assert run(server, "SELECT 1 AS a", place=place) == (0, "a\n1\n", "")


def test_who_shows_another_token_is_told(server: Served) -> None:
    begun = time.monotonic()
    code, out, err = run(server, "SELECT 1 AS a", token="wrong")
    assert (code, out) == (1, "")
    assert err.startswith("Error: The server says: ")
    assert len(err.splitlines()) == 1
    assert "secret" not in err
    assert "wrong" not in err
    assert time.monotonic() - begun < DEADLINE / 2


def test_a_refused_statement_is_told_once(server: Served) -> None:
    code, out, err = run(server, "SELECT id FROM range(3) [Rows 0]")
    assert (code, out) == (1, "")
    assert err.startswith("Error: -e, statement 1 (line 1): [CSQL_LENGTH_NOT_POSITIVE]")
    assert err.count("CSQL_LENGTH_NOT_POSITIVE") == 1
    assert "at org." not in err


def test_under_nohup_it_outlives_its_terminal_and_ctrl_c_ends_it(server: Served) -> None:
    assert run(server, TICKS) == (0, "", "")
    server.signal(signal.SIGHUP)
    assert "kept\tRUNNING" in run(server, "SHOW CONTINUOUS QUERIES")[1]
    server.signal(signal.SIGINT)
    assert server.process.wait(DEADLINE) == 0
    assert [line for line in server.errors if "incubator" not in line] == ["The Connect server stops.\n"]


def test_a_server_that_dies_is_told(tmp_path: Path) -> None:
    served = Served("connect", "--warehouse", tmp_path)
    assert served.ready_line() != "", served.errors
    client = subprocess.Popen(
        [CSQL, "run", "--remote", f"sc://127.0.0.1:{served.port}", "-e", f"SELECT 1 AS a; {ENDLESS}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert client.stdout is not None
    assert client.stdout.readline() == "a\n"
    time.sleep(1)
    os.kill(served.java(), signal.SIGKILL)
    begun = time.monotonic()
    _, err = client.communicate(timeout=DEADLINE)
    assert client.returncode == 1
    assert err.startswith("Error: -e, statement 2 (line 1): ")
    assert len(err.splitlines()) == 1, err
    assert time.monotonic() - begun < DEADLINE / 2
    assert served.process.wait(DEADLINE) == 1
    assert "Error: The Connect server has ended by itself, with exit code -9.\n" in served.errors


def test_it_ends_with_its_starter(tmp_path: Path) -> None:
    served = Served("connect", "--warehouse", tmp_path)
    assert served.ready_line() != "", served.errors
    java = Path(f"/proc/{served.java()}")
    served.kill()
    until("Java ends", lambda: not java.exists())


class Scripted(Server):
    """A server that says something while it stops, then ends with the exit code it is told."""

    def command(self) -> list[str]:
        return ["sh", "-c", "cat >/dev/null; echo 'ERROR: Aborting task' >&2; exit $0", self.conf["exit"]]

    def _answers(self) -> bool:
        return True


@pytest.mark.parametrize(("code", "told"), [("0", ""), ("3", "ERROR: Aborting task\n")])
def test_what_a_server_says_while_it_stops_is_told_when_it_fails(
    code: str, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server = Scripted(CONNECT, port=free_port(), conf={"exit": code})
    server.start()
    server.stop()
    assert capfd.readouterr().err == told
