"""``spark-csql run``: scripts of several statements."""

from __future__ import annotations

import click
from pyspark.sql import SparkSession

from spark_csql.cli.execution import LOOK_EVERY_SECONDS, Execution
from spark_csql.cli.failures import Failure, told_at
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer
from spark_csql.cli.session import Where, is_remote, opened, pairs, where_options
from spark_csql.cli.texts import Text, text_options
from spark_csql.cli.values import value
from spark_csql.parse.script import split
from spark_csql.queries import queries


@click.command()
@text_options
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="A value for :NAME.")
@click.option("--follow", is_flag=True, help="Show streaming answers as they come, until Ctrl-C.")
@click.option("--limit", type=click.IntRange(min=0), default=None, help="Rows to show of an answer; 0: all.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a row.")
@where_options
def run(
    text: Text,
    parameters: tuple[str, ...],
    follow: bool,
    limit: int | None,
    as_json: bool,
    where: Where,
) -> None:
    """Run the statements of FILE, or of -e, or of standard input, one after the other.

    The first statement that fails ends the script, with exit code 1.
    """
    values = {name: value(given) for name, given in pairs(parameters, "--param").items()}
    statements = split(text.sql)
    if not statements:
        raise Failure(f"There is no statement in {text.name}.")
    with opened(where) as spark:
        execution = Execution(spark, Printer(as_json), values, limit, follow)
        for number, statement in enumerate(statements, 1):
            with told_at(f"{text.name}, statement {number} (line {statement.line})"):
                execution.run(statement.text)
        _keep_running(spark, follow)


def _keep_running(spark: SparkSession, follow: bool) -> None:
    """Continuous queries end with this process: it waits for those that end by themselves, or for all."""
    if is_remote(spark):
        return
    with Interrupts() as interrupts:
        here = [query for query in queries(spark) if query.runsHere]
        endless = ", ".join(query.name for query in here if not query.ends)
        if endless and follow:
            click.echo(f"These queries run until Ctrl-C: {endless}.", err=True)
        elif endless:
            click.echo(
                f"These queries stop now, because this process ends: {endless}. --follow waits.", err=True
            )
        awaited = [query for query in here if follow or query.ends]
        while awaited and not interrupts.seen:
            awaited = [query for query in awaited if not query.awaitTermination(LOOK_EVERY_SECONDS)]
