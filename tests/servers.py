"""Servers as users start them: by the command line, in a process of their own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

DEADLINE = 120
CSQL = str(Path(sys.executable).with_name("spark-csql"))
HEAP = ["--conf", "spark.driver.memory=1g"]
UTC = ["--conf", "spark.sql.session.timeZone=UTC", "--conf", "spark.sql.shuffle.partitions=2"]


def until(what: str, condition: Callable[[], bool]) -> None:
    """Waits for a condition; one that never holds fails the test."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return int(any_port.getsockname()[1])


def environment() -> dict[str, str]:
    """Hive's in-memory metastore cannot be made twice where a home for Derby's databases is named."""
    options = os.environ.get("SPARK_SUBMIT_OPTS", "")
    return {**os.environ, "SPARK_SUBMIT_OPTS": re.sub(r'"?-Dderby\.system\.home=[^" ]*"?', "", options)}


class Served:
    """``spark-csql serve …``, from its start to its end; in a session of its own, as in a terminal."""

    def __init__(self, kind: str, *words: str | Path, before: Sequence[str] = (), **variables: str) -> None:
        self.port = free_port()
        command = [*before, CSQL, "serve", kind, "--port", str(self.port), *HEAP, *UTC, *map(str, words)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(), **variables},
            start_new_session=True,
        )
        self.errors: list[str] = []
        assert self.process.stderr is not None
        threading.Thread(target=self.errors.extend, args=[self.process.stderr], daemon=True).start()

    def ready_line(self) -> str:
        """The first line it prints; it prints none if it does not start."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self) -> int:
        """Asks it to end, and tells its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE)

    def signal(self, number: signal.Signals) -> None:
        """As a terminal sends it: to all that runs in it."""
        os.killpg(self.process.pid, number)

    def java(self) -> int:
        """The process that the server runs in."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        (java,) = map(int, children)
        return java

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
