"""The options by which commands say which Spark they use, and the session these make."""

from __future__ import annotations

import functools
import os
import re
import signal
import socket
import threading
import urllib.parse
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource
from pyspark.sql import SparkSession

from spark_csql.cli.failures import Failure, sentence
from spark_csql.cli.interrupts import Interrupts
from spark_csql.probe import probe
from spark_csql.queries import queries
from spark_csql.server import CONNECT, LOCALHOST
from spark_csql.session import tell_errors_once
from spark_csql.settings import spark_is_running

CONNECT_PORT = CONNECT.port
TOKEN = CONNECT.variable
MASTER_PORT = 7077
REACH_SECONDS = 5
HERE = "local[*]"
LAST_RETRIES = 1  # for a good-bye
RETRIES = 5  # within half a minute; Spark's own clients try for ten, without a word
YARN_FOLDERS = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
MASTERS = r"local(\[(\d+|\*)(\s*,\s*\d+)?\])?|local-cluster\[.+\]|(spark|k8s)://.+|yarn"


@dataclass(frozen=True)
class Where:
    """Which Spark: one of this process, or a Spark Connect server."""

    master: str
    remote: str | None
    warehouse: Path | None
    settings: dict[str, str]


def where_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options and hands them on as the argument ``where``."""

    @click.option(
        "--remote",
        metavar="URL",
        envvar="SPARK_REMOTE",
        help="A Spark Connect server, as in sc://localhost:15002.",
    )
    @click.option("--master", metavar="URL", help=f"Where Spark runs.  [default: {HERE}]")
    @click.option(
        "--warehouse",
        type=click.Path(file_okay=False, path_type=Path),
        help="The folder that keeps tables, streams and continuous queries.",
    )
    @click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of Spark.")
    @functools.wraps(command)
    def with_where(
        *args: Any,
        master: str | None,
        remote: str | None,
        warehouse: Path | None,
        settings: tuple[str, ...],
        **kwargs: Any,
    ) -> Any:
        conf = pairs(settings, "--conf")
        master = conf.pop("spark.master", None) if master is None else master
        if master is not None and is_by_variable("remote"):
            remote = None
        if remote is not None and master is not None:
            raise click.UsageError(
                f"Spark runs at the server {_place(remote)} (--remote) "
                f"or at {master} (--master), not at both."
            )
        return command(*args, where=Where(master or HERE, remote, warehouse, conf), **kwargs)

    return with_where


def pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    """``key=value``, several times."""
    found = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise click.UsageError(f"{option} is written {option} key=value, not {option} {text!r}.")
        found[key.strip()] = value
    return found


@contextmanager
def opened(where: Where) -> Iterator[SparkSession]:
    """A session, stopped at the end unless it ran before; the server of a remote one runs on."""
    ran_before = where.remote is None and spark_is_running()
    spark = _remote(where) if where.remote else _local(where)
    try:
        yield spark
    finally:
        if not ran_before:
            with Interrupts():
                _stop(spark)


def is_by_variable(option: str) -> bool:
    """Whether an option has its value from the environment: one that is written goes before it."""
    return click.get_current_context().get_parameter_source(option) is ParameterSource.ENVIRONMENT


def is_remote(spark: SparkSession) -> bool:
    return "connect" in type(spark).__module__


def _local(where: Where) -> SparkSession:
    from spark_csql.session import session

    if not re.fullmatch(MASTERS, where.master):
        raise click.UsageError(
            f"--master is written local[4], spark://host:port, yarn or k8s://…, not {where.master!r}."
        )
    reach_master(where.master)
    os.environ.pop("SPARK_REMOTE", None)  # PySpark would go there
    settings = dict(where.settings)
    if where.warehouse is not None:
        settings["spark.sql.warehouse.dir"] = str(where.warehouse.resolve())
    before = signal.getsignal(signal.SIGINT)
    spark = session(settings, master=where.master)
    # PySpark's own way with Ctrl-C cancels all jobs, those of continuous queries too.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, before)
    return spark


def _remote(where: Where) -> SparkSession:
    assert where.remote is not None
    if where.warehouse is not None:
        raise click.UsageError("--warehouse belongs to the server: start the server with it.")
    _reach(where.remote)
    tell_errors_once()
    spark: Any = SparkSession.builder.remote(_with_token(where.remote)).create()
    _try(spark, RETRIES)
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")  # the error says it too
    for key, value in where.settings.items():
        spark.conf.set(key, value)
    probe(spark)
    return cast(SparkSession, spark)


def _try(spark: Any, retries: int) -> None:
    """How often the client of a server tries to reach it."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    spark.client.set_retry_policies([DefaultPolicy(max_retries=retries)])


def _stop(spark: Any) -> None:
    if is_remote(spark):
        _try(spark, LAST_RETRIES)
    else:
        _stop_queries(spark)
        spark.sparkContext.setLogLevel("OFF")
    spark.stop()


def _stop_queries(spark: SparkSession) -> None:
    """Those that are torn down with their Spark say so at length."""
    try:
        for query in queries(spark):
            if query.runsHere:
                query.stop()
    except Exception as error:  # Spark is stopped all the same
        click.echo(f"Continuous queries could not be stopped: {sentence(error)}", err=True)


def _with_token(url: str) -> str:
    """A client shows its token without TLS only to a server that it calls by this name."""
    has_token = TOKEN in os.environ or "token=" in url
    return url.replace(f"sc://{LOCALHOST}", "sc://localhost", 1) if has_token else url


def _reach(url: str) -> None:
    """Spark Connect tries for minutes before it gives up."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "sc" or not parts.hostname:
        raise click.UsageError(f"--remote is written sc://host:port, not {_place(url)!r}.")
    refused = _refused(url, CONNECT_PORT)
    if refused is not None:
        raise Failure(f"There is no Spark Connect server at {_place(url)}: {refused}.") from refused


def _place(url: str) -> str:
    """Without what follows, which may hold a token."""
    return url.partition(";")[0].rstrip("/")


def reach_master(url: str) -> None:
    """Spark tries for a minute, and then speaks of a context that was stopped."""
    if url == "yarn" and not any(map(os.environ.get, YARN_FOLDERS)):
        raise Failure(f"YARN is found by the folder that {' or '.join(YARN_FOLDERS)} names; neither is set.")
    if not url.startswith("spark://"):
        return
    masters = [f"spark://{place}" for place in url.removeprefix("spark://").split(",")]
    refused = [_refused(master, MASTER_PORT) for master in masters]
    if all(refused):
        raise Failure(f"There is no Spark master at {url}: {refused[0]}.") from refused[0]


def _refused(url: str, usual_port: int) -> Exception | None:
    """Why nothing can be reached there."""
    try:
        parts = urllib.parse.urlsplit(url)
        place = (parts.hostname or "", parts.port or usual_port)
        socket.create_connection(place, timeout=REACH_SECONDS).close()
    except (OSError, ValueError) as error:
        return error
    return None
