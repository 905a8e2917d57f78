"""``spark-csql doctor``: is everything here that is needed, and what to do if not."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pyspark
from rich.console import Console
from rich.text import Text

from spark_csql.cli.failures import FAILED, sentence
from spark_csql.cli.session import Where, opened, where_options
from spark_csql.fit import java_version, require_python, require_spark
from spark_csql.jar import jar_path
from spark_csql.probe import probe
from spark_csql.version import OLDEST_JAVA, __version__

PORTS = {15002: "serve connect", 10000: "serve thrift"}
LEAST_FREE_BYTES = 1 << 30


@dataclass(frozen=True)
class Finding:
    """One line of the report. A remark is no fault: what it tells may be meant so."""

    what: str
    told: str
    fault: str = ""
    remark: str = ""


@click.command()
@where_options
@click.pass_context
def doctor(ctx: click.Context, where: Where) -> None:
    """Check Python, Java, Spark, the jar, ports and free space, and start Spark once."""
    console = Console(highlight=False, soft_wrap=True)
    well = True
    for finding in findings(where):
        mark, style = ("✗", "red") if finding.fault else ("!", "yellow") if finding.remark else ("✓", "green")
        line = Text(f"{mark} ", style=style).append(f"{finding.what}: {finding.told}", style="none")
        console.print(line)
        if finding.fault or finding.remark:
            console.print(Text(f"    {finding.fault or finding.remark}"))
        well = well and not finding.fault
    ctx.exit(0 if well else FAILED)


def findings(where: Where) -> Iterator[Finding]:
    yield _checked("Python", sys.version.split()[0], require_python)
    yield _checked(
        "PySpark", pyspark.__version__, lambda: require_spark(pyspark.__version__, "the installed PySpark is")
    )
    yield Finding("spark-csql", __version__)
    if where.remote is None:
        yield _java()
        yield _jar()
        yield from _folders(where)
        yield from map(_port, PORTS)
    yield _session(where)


def _checked(what: str, told: str, check: Callable[[], None]) -> Finding:
    try:
        check()
    except Exception as error:
        return Finding(what, told, fault=sentence(error))
    return Finding(what, told)


def _java() -> Finding:
    java, version = java_version()
    if version is None:
        return Finding("Java", "not found", fault=f"Install a JDK {OLDEST_JAVA} or newer, or set JAVA_HOME.")
    if version < OLDEST_JAVA:
        fault = f"Set JAVA_HOME to a JDK {OLDEST_JAVA} or newer."
        return Finding("Java", f"{version} ({java})", fault=fault)
    return Finding("Java", f"{version} ({java})")


def _jar() -> Finding:
    try:
        return Finding("jar", str(jar_path()))
    except Exception as error:
        return Finding("jar", "not found", fault=sentence(error))


def _folders(where: Where) -> Iterator[Finding]:
    local = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")[0]
    yield _folder("temporary files", Path(local).absolute())
    warehouse = where.settings.get("spark.sql.warehouse.dir", "spark-warehouse")
    yield _folder("warehouse", (where.warehouse or Path(warehouse)).absolute())


def _folder(what: str, folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
    free = shutil.disk_usage(existing).free
    told = f"{folder}, {free / (1 << 30):.1f} GiB free"
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding(
            what, told, fault=f"{existing} cannot be written: choose another folder or change its rights."
        )
    if free < LEAST_FREE_BYTES:
        return Finding(what, told, fault="Make room: less than 1 GiB is left for state, shuffles and tables.")
    return Finding(what, told)


def _port(port: int) -> Finding:
    with socket.socket() as probe_socket:
        probe_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe_socket.bind(("127.0.0.1", port))
        except OSError:
            remark = (
                f"Something listens there already: if it is not meant, {PORTS[port]} needs another --port."
            )
            return Finding(f"port {port}", "in use", remark=remark)
    return Finding(f"port {port}", f"free for {PORTS[port]}")


def _session(where: Where) -> Finding:
    try:
        with opened(where) as spark:
            return Finding("Spark", f"{spark.version} runs, with spark-csql {probe(spark)}")
    except Exception as error:
        return Finding("Spark", "does not run", fault=sentence(error))
