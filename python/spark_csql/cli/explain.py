"""``spark-csql explain``: what statements mean, and how they run."""

from __future__ import annotations

import click

from spark_csql.cli.execution import interruptible
from spark_csql.cli.failures import Failure, told_at
from spark_csql.cli.session import Where, opened, pairs, where_options
from spark_csql.cli.texts import Text, text_options
from spark_csql.cli.values import value
from spark_csql.parse.lexer import lex
from spark_csql.parse.script import split
from spark_csql.statements import explain as explained

# What later statements may need, and what neither writes, starts nor removes anything.
_SET = frozenset(("SET", "RESET", "USE", "ADD", "DECLARE"))
_DEFINED = frozenset(("STREAM", "VIEW", "AGGREGATE", "FUNCTION", "DATABASE", "SCHEMA"))
_BEFORE_KIND = frozenset(("OR", "REPLACE", "GLOBAL", "TEMP", "TEMPORARY", "ALGEBRAIC", "WINDOW"))


@click.command()
@text_options
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="A value for :NAME.")
@where_options
def explain(text: Text, parameters: tuple[str, ...], where: Where) -> None:
    """Explain the statements of FILE, of -e or of standard input.

    What defines streams, views, aggregates, functions, databases and settings is run, for what follows it.
    All else is explained and not run.
    """
    values = {name: value(given) for name, given in pairs(parameters, "--param").items()}
    statements = split(text.sql)
    if not statements:
        raise Failure(f"There is no statement in {text.name}.")
    with opened(where) as spark:
        for number, statement in enumerate(statements, 1):
            place = f"{text.name}, statement {number} (line {statement.line})"
            with told_at(place), interruptible(spark):
                if _defines(statement.text):
                    spark.sql(statement.text, args=values or None)
                else:
                    click.echo(explained(spark, statement.text, **values))


def _defines(statement: str) -> bool:
    first, *words = [token.word for token in lex(statement) if token.visible]
    kind = next((word for word in words if word not in _BEFORE_KIND), "")
    return first in _SET or (first == "CREATE" and kind in _DEFINED)
