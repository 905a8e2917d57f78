"""``spark-csql top``: all continuous queries and how they fare, refreshing."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from rich.live import Live

from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer, table
from spark_csql.cli.session import Where, opened, where_options
from spark_csql.queries import queries

COLUMNS = {
    "name": "name",
    "status": "status",
    "input rows per second": "in/s",
    "processed rows per second": "done/s",
    "batches": "batches",
    "last batch took": "batch",
    "watermark": "watermark",
    "lag behind now": "lag",
    "state rows": "state rows",
    "state bytes": "state bytes",
    "late rows": "late",
    "rejected rows": "rejected",
    "last error": "last error",
}


@click.command()
@click.option("--every", type=click.FloatRange(min=0.1), default=2.0, show_default=True, metavar="SECONDS")
@click.option("--once", is_flag=True, help="Show it once and end.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a query.")
@where_options
def top(every: float, once: bool, as_json: bool, where: Where) -> None:
    """Watch the continuous queries: rates, batches, watermark, state, late rows.

    Rates and state are known to the application that runs a query: name its server with --remote.
    """
    with opened(where) as spark:
        printer = Printer(as_json)
        if once or printer.format != "table":
            printer.answer(list(COLUMNS.values()), measured(spark))
            return
        with (
            Interrupts() as interrupts,
            Live(console=printer.console, screen=True, auto_refresh=False) as live,
        ):
            while not interrupts.seen:
                title = f"continuous queries, {time.strftime('%H:%M:%S')}, Ctrl-C leaves"
                live.update(table(list(COLUMNS.values()), measured(spark), title), refresh=True)
                interrupts.sleep(every)


def measured(spark: SparkSession) -> list[Sequence[str]]:
    """A row for each query, of what DESCRIBE tells."""
    rows: list[Sequence[str]] = []
    for query in queries(spark):
        try:
            told = query.lastProgress
        except AnalysisException as error:
            if error.getCondition() != "CSQL_QUERY_NOT_FOUND":  # it was dropped in between
                raise
        else:
            rows.append([_shown(told.get(key, "")) for key in COLUMNS])
    return rows


def _shown(value: str) -> str:
    """Rates need no more than two digits behind the point."""
    whole, point, fraction = value.partition(".")
    number = whole.lstrip("-").isdigit() and fraction.isdigit()
    return f"{float(value):.2f}" if point and number else value
