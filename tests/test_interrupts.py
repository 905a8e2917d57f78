"""Ctrl-C: it ends the statement that runs, and nothing else."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from spark_csql.cli.completion import Names
from spark_csql.cli.execution import JOBS
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer
from spark_csql.cli.presentable import Presentable
from spark_csql.cli.shell import Shell

from tests.commands import Command

ENDLESS = "SELECT COUNT(*) AS n FROM range(100000000000000)"


@pytest.fixture
def beats(spark: Any) -> Iterator[Any]:
    """A query that runs beside."""
    query = spark.readStream.format("rate").load().writeStream.format("noop").start()
    yield query
    query.stop()


@pytest.fixture
def ctrl_c_when_it_runs(spark: Any) -> None:
    jobs = spark.sparkContext.statusTracker()
    before = set(jobs.getJobIdsForGroup(JOBS))

    def wait_and_interrupt() -> None:
        while not set(jobs.getJobIdsForGroup(JOBS)) - before:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=wait_and_interrupt, daemon=True).start()


@pytest.mark.parametrize("statement", [ENDLESS, f"CREATE TABLE never AS {ENDLESS}"])
def test_a_long_statement_ends(
    spark: Any, csql: Command, beats: Any, ctrl_c_when_it_runs: None, statement: str
) -> None:
    done = csql("run", "-e", statement)
    assert (done.code, done.out) == (130, "")
    assert beats.isActive
    assert beats.exception() is None
    assert csql("run", "-e", "SELECT 1 AS a").out == "a\n1\n"


def test_the_shell_goes_on(
    spark: Any, beats: Any, ctrl_c_when_it_runs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text(f"{ENDLESS};\rSELECT 1 AS a;\rexit;\r")
        assert Shell(spark, Printer(), 10, "live").interact()
    done = capsys.readouterr()
    assert done.out.endswith("a\n1\n")
    assert done.err == "Cancelled.\n"
    assert beats.isActive


def test_a_shell_that_reads_a_pipe_ends(
    spark: Any, csql: Command, ctrl_c_when_it_runs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{ENDLESS}; SELECT 2 AS b".encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    done = csql("shell")
    assert (done.code, done.out) == (130, "")


def test_a_quick_statement_does_not_swallow_it(
    spark: Any, csql: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Presentable.rows

    def interrupted(presentable: Presentable, most: int | None = None) -> list[tuple[Any, ...]]:
        rows = quick(presentable, most)
        signal.raise_signal(signal.SIGINT)
        return rows

    monkeypatch.setattr(Presentable, "rows", interrupted)
    assert csql("run", "-e", "SELECT 1") == (130, "", "\n")


def test_names_are_asked_for_undisturbed(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = Names.refresh

    def interrupted(names: Names) -> None:
        signal.raise_signal(signal.SIGINT)
        ask(names)

    monkeypatch.setattr(Names, "refresh", interrupted)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("SELECT 1 AS a;\rquit;\r")
        assert Shell(spark, Printer(), 10, "live").interact()
    assert capsys.readouterr().out.endswith("a\n1\n")


def test_what_is_about_to_begin_is_cancelled_too() -> None:
    calls = threading.Semaphore(0)
    with Interrupts(calls.release) as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert calls.acquire(timeout=10)
        assert calls.acquire(timeout=10)
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_sleep_ends_at_once() -> None:
    threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
    begun = time.monotonic()
    with Interrupts() as interrupts:
        interrupts.sleep(60)
    assert time.monotonic() - begun < 30
