"""Spark's own servers, started from the installed PySpark with spark-csql on their class path."""

from __future__ import annotations

import collections
import contextlib
import ipaddress
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spark_csql import settings
from spark_csql.errors import CsqlError
from spark_csql.fit import java_problem
from spark_csql.jar import jar_path
from spark_csql.session import log_quietly

LOCALHOST = "127.0.0.1"
STARTER = "org.sparkcsql.serve.Server"
LOOK_SECONDS = 0.1
STOP_SECONDS = 30
KEPT_LINES = 2000
TRANSPORT = "spark.hive.server2.transport.mode"  # by HTTP, Spark listens on all addresses, whatever the host
HIVE_VARIABLES = "HIVE_SERVER2_"  # they would win over what this program is told, unseen


class ServerError(CsqlError):
    """A server does not start, in one sentence."""


@dataclass(frozen=True)
class Kind:
    """One of Spark's servers."""

    name: str
    main: str
    port: int
    host_setting: str
    port_setting: str
    url: str  # how clients write its address
    authentication: str  # the setting that makes clients prove who they are,
    nobody: tuple[str, ...]  # its values by which they need not,
    variable: str = ""  # and the environment variable that does the same
    always: tuple[tuple[str, str], ...] = ()  # settings that are not the user's to make


THRIFT = Kind(
    name="Thrift",
    main="org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
    port=10000,
    host_setting="spark.hive.server2.thrift.bind.host",
    port_setting="spark.hive.server2.thrift.port",
    url="jdbc:hive2://{}:{}",
    authentication="spark.hive.server2.authentication",
    nobody=("", "NONE", "NOSASL"),
    always=((TRANSPORT, "binary"),),
)
CONNECT = Kind(
    name="Connect",
    main="org.apache.spark.sql.connect.service.SparkConnectServer",
    port=15002,
    host_setting="spark.connect.grpc.binding.address",
    port_setting="spark.connect.grpc.binding.port",
    url="sc://{}:{}",
    authentication="spark.connect.authenticate.token",
    nobody=("",),
    variable="SPARK_CONNECT_AUTHENTICATE_TOKEN",
)


@dataclass
class Server:
    """A server in a process of its own, which ends with the process that started it."""

    kind: Kind
    host: str = LOCALHOST
    port: int = 0
    warehouse: Path | None = None
    resume: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)
    verbose: bool = False

    def __post_init__(self) -> None:
        self.port = self.port or self.kind.port
        self._quiet = not self.verbose
        self._said: collections.deque[str] = collections.deque(maxlen=KEPT_LINES)
        self._process: subprocess.Popen[str] | None = None
        self._listener: threading.Thread | None = None

    @property
    def url(self) -> str:
        host = self.host
        if self.kind is CONNECT and self.asks_who_comes and host == LOCALHOST:
            host = "localhost"  # clients show their token to this name alone, unless there is TLS
        return self.kind.url.format(f"[{host}]" if ":" in host else host, self.port)

    @property
    def is_reachable_from_outside(self) -> bool:
        with contextlib.suppress(ValueError):
            return not ipaddress.ip_address(self.host).is_loopback
        return self.host != "localhost"

    @property
    def asks_who_comes(self) -> bool:
        """Whether clients must authenticate."""
        value = settings.configured(self.kind.authentication, self.conf) or os.environ.get(self.kind.variable)
        return (value or "").upper() not in self.kind.nobody

    def start(self) -> None:
        """Returns when the server answers."""
        problem = java_problem()
        if problem is not None:
            raise problem
        self._require_free_port()
        process = subprocess.Popen(
            self.command(),
            env={key: value for key, value in os.environ.items() if not key.startswith(HIVE_VARIABLES)},
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # or Ctrl-C would reach it too, before it has ended what it does
        )
        self._process = process
        self._listener = threading.Thread(target=self._listen, args=[process.stderr], daemon=True)
        self._listener.start()
        while not self._answers():
            if process.poll() is not None:
                self._listener.join()
                raise ServerError(f"The {self.kind.name} server did not start: {self._reason()}")
            time.sleep(LOOK_SECONDS)
        self._quiet = False

    def wait(self) -> int:
        """Waits until the server ends by itself, and returns its exit code."""
        assert self._process is not None
        return self._process.wait()

    def stop(self) -> None:
        """Lets the server end what it does; if that takes too long, it is killed.

        What its tasks say of being broken off is told only when the server does not end well.
        """
        if self._process is None or self._process.poll() is not None:
            return
        assert self._process.stdin is not None
        assert self._listener is not None
        self._said.clear()
        self._quiet = not self.verbose
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self._process.kill()
            self._process.wait()
        self._listener.join()
        if self._process.returncode != 0:
            sys.stderr.writelines(self._said)

    def command(self) -> list[str]:
        """What starts the server."""
        options = {
            "spark.ui.enabled": "false",
            "spark.sql.catalogImplementation": "in-memory",
            **self._on_this_machine(),
            **self.conf,
            **dict(self.kind.always),
            **self._class_path(),
            self.kind.host_setting: self.host,
            self.kind.port_setting: str(self.port),
        }
        # Derby, which Spark's Thrift server starts beside it, would write a log into the current folder.
        java = settings.configured("spark.driver.extraJavaOptions", self.conf) or ""
        options["spark.driver.extraJavaOptions"] = f"{java} -Dderby.stream.error.file={os.devnull}".strip()
        if self.warehouse is not None:
            options["spark.sql.warehouse.dir"] = str(self.warehouse.resolve())
        log_quietly(options)
        return [
            str(settings.spark_home() / "bin" / "spark-submit"),
            *(word for key, value in options.items() for word in ("--conf", f"{key}={value}")),
            "--class",
            STARTER,
            "spark-internal",
            self.kind.main,
            *(["--resume"] if self.resume else []),
        ]

    @property
    def master(self) -> str:
        return settings.configured("spark.master", self.conf) or "local"

    def _on_this_machine(self) -> dict[str, str]:
        return settings.on_this_machine() if self.master.startswith("local") else {}

    def _class_path(self) -> dict[str, str]:
        """The class path for the server, whose sessions come and go; the jars for executors elsewhere."""
        jar = str(jar_path())
        before = settings.configured("spark.driver.extraClassPath", self.conf)
        return {
            "spark.driver.extraClassPath": os.pathsep.join(filter(None, (before, jar))),
            "spark.jars": settings.add(settings.configured("spark.jars", self.conf), jar),
        }

    def _require_free_port(self) -> None:
        """Spark would say it in a stack trace."""
        try:
            family, *_, address = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind(address)
        except OSError as error:
            raise ServerError(
                f"The {self.kind.name} server cannot listen on {self.host}:{self.port}: {error.strerror}."
            ) from error

    def _answers(self) -> bool:
        wildcard = {"0.0.0.0": LOCALHOST, "::": "::1"}
        try:
            socket.create_connection((wildcard.get(self.host, self.host), self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def _listen(self, lines: Iterable[str]) -> None:
        """Keeps what the server says while it starts or stops, passes it on when it runs."""
        for line in lines:
            if self._quiet and not line.startswith("spark-csql: "):
                self._said.append(line)
            else:
                sys.stderr.write(line)
                sys.stderr.flush()

    def _reason(self) -> str:
        """The innermost cause among what the server said."""
        lines = "".join(self._said)
        causes: list[str] = re.findall(r"^(?:Caused by|Exception in .*?): (.*)", lines, re.MULTILINE)
        errors: list[str] = re.findall(r"^(?:ERROR|Error): (.*)", lines, re.MULTILINE)
        return (causes or errors or ["it ended without a word."])[-1].strip()
