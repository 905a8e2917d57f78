"""The options by which commands say which Spark they use, and the session these make."""

from __future__ import annotations

import functools
import socket
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from pyspark.sql import SparkSession

from spark_csql.cli.failures import Failure
from spark_csql.settings import spark_is_running

CONNECT_PORT = 15002
REACH_SECONDS = 5
MASTERS = ("local", "spark://", "k8s://", "yarn")


@dataclass(frozen=True)
class Where:
    """Which Spark: one of this process, or a Spark Connect server."""

    master: str
    remote: str | None
    warehouse: Path | None
    settings: dict[str, str]


def where_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options and hands them on as the argument ``where``."""

    @click.option("--remote", metavar="URL", help="A Spark Connect server, as in sc://localhost:15002.")
    @click.option("--master", metavar="URL", default="local[*]", show_default=True, help="Where Spark runs.")
    @click.option(
        "--warehouse",
        type=click.Path(file_okay=False, path_type=Path),
        help="The folder that keeps tables, streams and continuous queries.",
    )
    @click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of Spark.")
    @functools.wraps(command)
    def with_where(
        *args: Any,
        master: str,
        remote: str | None,
        warehouse: Path | None,
        settings: tuple[str, ...],
        **kwargs: Any,
    ) -> Any:
        where = Where(master, remote, warehouse, pairs(settings, "--conf"))
        return command(*args, where=where, **kwargs)

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
            spark.stop()


def _local(where: Where) -> SparkSession:
    from spark_csql.session import session

    if not where.master.startswith(MASTERS):
        raise click.UsageError(
            f"--master is written local[4], spark://host:port, yarn or k8s://…, not {where.master!r}."
        )
    settings = dict(where.settings)
    if where.warehouse is not None:
        settings["spark.sql.warehouse.dir"] = str(where.warehouse.resolve())
    return session(settings, master=where.master)


def _remote(where: Where) -> SparkSession:
    from spark_csql.session import configure

    assert where.remote is not None
    if where.warehouse is not None:
        raise click.UsageError("--warehouse belongs to the server: start the server with it.")
    _reach(where.remote)
    builder = SparkSession.builder.remote(where.remote)
    for key, value in where.settings.items():
        builder = builder.config(key, value)
    return configure(builder).create()


def _reach(url: str) -> None:
    """Spark Connect tries for minutes before it gives up."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "sc" or not parts.hostname:
        raise click.UsageError(f"--remote is written sc://host:port, not {url!r}.")
    try:
        port = parts.port or CONNECT_PORT
        socket.create_connection((parts.hostname, port), timeout=REACH_SECONDS).close()
    except (OSError, ValueError) as error:
        raise Failure(f"There is no Spark Connect server at {url}: {error}.") from error
