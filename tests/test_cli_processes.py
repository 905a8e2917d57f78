"""The command line in processes of its own: what Java says there, and signals."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers import CSQL, DEADLINE, HEAP, UTC, environment, until

Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def start(*words: str) -> subprocess.Popen[str]:
        command = [CSQL, "run", "--master", "local[2]", "--warehouse", str(tmp_path), *HEAP, *UTC, *words]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=tmp_path,
        )

    return start


def told(text: str) -> list[str]:
    return [line for line in text.splitlines() if "incubator modules" not in line]


def test_an_error_at_run_time_is_a_sentence(run: Run) -> None:
    with run("-e", "SELECT 1/(id-1) AS x FROM range(3)") as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    first, *context = told(err)
    assert first.startswith("Error: -e, statement 1 (line 1): [DIVIDE_BY_ZERO] Division by zero.")
    assert not any("\tat " in line or "Exception" in line for line in context), err


def test_a_reader_that_has_seen_enough(run: Run) -> None:
    with run("-e", "SELECT id FROM range(1000000)") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "id\n"
        process.stdout.close()
        assert told(process.stderr.read()) == []
    assert process.returncode == 1


def test_queries_run_until_ctrl_c(run: Run, tmp_path: Path) -> None:
    """The process takes it well, and so does Java."""
    text = "CREATE STREAM t SOURCE 'rate'; CREATE CONTINUOUS QUERY q AS SELECT value FROM t"
    with run("--follow", "-e", text) as process:
        assert process.stderr is not None
        lines = iter(process.stderr)
        assert any(line == "These queries run until Ctrl-C: q.\n" for line in lines)
        until("a row", lambda: any((tmp_path / "q").glob("*.parquet")))
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 0
        assert list(lines) == []
