"""``spark-csql explain``: what statements mean, and how they run."""

from __future__ import annotations

import click

from spark_csql.cli.failures import Failure, sentence
from spark_csql.cli.session import Where, opened, pairs, where_options
from spark_csql.cli.texts import Text, text_options
from spark_csql.cli.values import value
from spark_csql.parse.script import split
from spark_csql.statements import explain as explained

_RUN_FIRST = ("CREATE", "DROP", "SET", "RESET", "USE", "ADD", "CACHE", "DECLARE", "REFRESH")


@click.command()
@text_options
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="A value for :NAME.")
@where_options
def explain(text: Text, parameters: tuple[str, ...], where: Where) -> None:
    """Explain the queries of FILE, -e or standard input; statements that define something run first."""
    values = {name: value(given) for name, given in pairs(parameters, "--param").items()}
    statements = split(text.sql)
    if not statements:
        raise Failure(f"There is no statement in {text.name}.")
    with opened(where) as spark:
        for number, statement in enumerate(statements, 1):
            try:
                if statement.text.split(None, 1)[0].upper() in _RUN_FIRST:
                    spark.sql(statement.text, args=values or None)
                else:
                    click.echo(explained(spark, statement.text, **values))
            except Exception as error:
                place = f"{text.name}, statement {number} (line {statement.line})"
                raise Failure(f"{place}: {sentence(error)}") from error
