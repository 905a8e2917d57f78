"""``spark-csql serve``: Spark's own servers, which then know the language."""

from __future__ import annotations

import functools
import getpass
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spark_csql.cli.failures import Failure
from spark_csql.cli.session import pairs, reach_master
from spark_csql.server import CONNECT, LOCALHOST, THRIFT, TRANSPORT, Kind, Server
from spark_csql.settings import configured, require_whole_spark


@click.group()
def serve() -> None:
    """Start one of Spark's servers. It runs until Ctrl-C."""


def _server_options(kind: Kind) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.option("--host", default=LOCALHOST, show_default=True, help="The address to listen on.")
        @click.option(
            "--port",
            type=click.IntRange(1, 65535),
            default=kind.port,
            show_default=True,
            help="And the port.",
        )
        @click.option(
            "--warehouse",
            type=click.Path(file_okay=False, path_type=Path),
            help="The folder that keeps tables, streams and continuous queries.",
        )
        @click.option("--resume", is_flag=True, help="Go on with the queries of the last server.")
        @click.option("--conf", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of Spark.")
        @click.pass_obj
        @functools.wraps(command)
        def with_server(
            debug: bool | None,
            host: str,
            port: int,
            warehouse: Path | None,
            resume: bool,
            settings: tuple[str, ...],
        ) -> None:
            require_whole_spark()
            conf = pairs(settings, "--conf")
            for key, option in ((kind.host_setting, "--host"), (kind.port_setting, "--port")):
                if key in conf:
                    raise click.UsageError(f"Say it by {option}, not by --conf {key}.")
            if (configured(TRANSPORT, conf) or "").lower() == "http":
                raise click.UsageError(f"The server does not speak HTTP: leave {TRANSPORT} out.")
            command(Server(kind, host, port, warehouse, resume, conf, verbose=bool(debug)))

        return with_server

    return add


@serve.command()
@_server_options(THRIFT)
def thrift(server: Server) -> None:
    """For JDBC and ODBC: beeline, DBeaver, tools for reports."""
    _run(server)


@serve.command()
@_server_options(CONNECT)
def connect(server: Server) -> None:
    """For Spark Connect: Python and other languages, without Java on their side."""
    _run(server)


def _run(server: Server) -> None:
    reach_master(server.master)
    _tell_who_may_come(server)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores the end of its terminal
            signal.signal(number, signal.default_int_handler)
    try:
        server.start()
        click.echo(f"The {server.kind.name} server is ready: {server.url}")
        code = server.wait()
    except KeyboardInterrupt:
        click.echo(f"The {server.kind.name} server stops.", err=True)
        return
    finally:
        server.stop()
    raise Failure(f"The {server.kind.name} server has ended by itself, with exit code {code}.")


def _tell_who_may_come(server: Server) -> None:
    if not server.is_reachable_from_outside:
        return
    where = f"The {server.kind.name} server listens on {server.host}:{server.port}, for other machines too"
    if server.asks_who_comes:
        click.echo(f"{where}; {server.kind.authentication} says how they authenticate.", err=True)
        return
    click.secho(
        f"WARNING: {where}, and asks nobody who they are. Whoever reaches it can read and write files "
        f"and run programs as {getpass.getuser()}. {server.kind.authentication} makes it ask.",
        fg="red",
        bold=True,
        err=True,
    )
