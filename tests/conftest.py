"""What all tests share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest

from tests.commands import Command, Done
from tests.quick_files import QUICK_FILES
from tests.servers import Served

# Drawn before the test processes start, which all take it from here.
for seed in ("CSQL_RANDOM_SEED", "CSQL_STREAM_SEED"):
    if os.environ.get(seed) == "new":
        os.environ[seed] = str(SystemRandom().randrange(10**9))

os.environ["TZ"] = "UTC"  # collect() turns timestamps into the process's local time
time.tzset()


# Few tests that take minutes each: at the end, one process would run them while the other has nothing to do.
FIRST = ("test_stream_faults.py", "test_restarts.py")


@pytest.hookimpl(tryfirst=True)  # xdist's own reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one group run in one process: those of a file, unless they name smaller groups themselves."""
    items.sort(key=lambda item: item.path.name not in FIRST)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.name))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    spark_csql = pytest.importorskip("spark_csql")
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),  # it remembers streams
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        **QUICK_FILES,
    }
    session = spark_csql.session(settings, master="local[2]")
    yield session
    session.stop()


@pytest.fixture
def csql(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command; if a session runs, in that one."""
    from spark_csql.cli.main import main

    def command(*words: str | Path) -> Done:
        code = main([str(word) for word in words])
        return Done(code, *capsys.readouterr())

    return command


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of both servers, one after the other."""
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="session")
def connect_server(warehouse: Path) -> Iterator[Served]:
    server = Served("connect", "--warehouse", warehouse)
    assert server.ready_line() == f"The Connect server is ready: sc://127.0.0.1:{server.port}\n", (
        server.errors
    )
    yield server
    server.kill()
