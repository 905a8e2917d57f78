"""``spark-csql run``: scripts of several statements."""

from __future__ import annotations

import click
from pyspark.sql import SparkSession

from spark_csql.cli.execution import LOOK_EVERY_SECONDS, Execution
from spark_csql.cli.failures import Failure, sentence
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer
from spark_csql.cli.session import Where, opened, pairs, where_options
from spark_csql.cli.texts import Text, text_options
from spark_csql.cli.values import value
from spark_csql.parse.script import split


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
        printer = Printer(as_json)
        default = 1000 if printer.format == "table" else 0
        execution = Execution(spark, printer, values, default if limit is None else limit, follow)
        for number, statement in enumerate(statements, 1):
            try:
                execution.run(statement.text)
            except (Failure, KeyboardInterrupt):
                raise
            except Exception as error:
                place = f"{text.name}, statement {number} (line {statement.line})"
                raise Failure(f"{place}: {sentence(error)}") from error
        _keep_running(spark, follow)


def _keep_running(spark: SparkSession, follow: bool) -> None:
    """Continuous queries end with the process that runs them; with --follow it waits for them."""
    if not spark.streams.active:
        return
    names = ", ".join(sorted(query.name or str(query.id) for query in spark.streams.active))
    if not follow:
        click.echo(f"These queries stop now, because this process ends: {names}. --follow waits.", err=True)
        return
    click.echo(f"These queries run until Ctrl-C: {names}.", err=True)
    with Interrupts() as interrupts:
        while spark.streams.active and not interrupts.seen:
            spark.streams.active[0].awaitTermination(LOOK_EVERY_SECONDS)
