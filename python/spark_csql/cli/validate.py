"""``spark-csql validate``: would the engine accept this text? Told without starting Java."""

from __future__ import annotations

import json

import click

from spark_csql.cli.failures import FAILED
from spark_csql.cli.texts import Text, text_options
from spark_csql.parse.problem import Problem
from spark_csql.parse.script import split
from spark_csql.validation import validate as problems_of


@click.command()
@text_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a problem.")
@click.pass_context
def validate(ctx: click.Context, text: Text, as_json: bool) -> None:
    """Check the clauses and statements of the language in FILE, -e or standard input.

    The exit code is 0 if they are accepted and 1 if not. What belongs to Spark alone is not judged.
    """
    problems = problems_of(text.sql)
    for problem in problems:
        if as_json:
            click.echo(json.dumps(_told(problem, text), ensure_ascii=False))
        else:
            click.echo(f"{text.name}:{problem.line}:{problem.position + 1}: {problem}")
            click.echo(_excerpt(problem, text.sql))
    if not problems and not as_json:
        count = len(split(text.sql))
        click.echo(f"{text.name}: {count} statement{'' if count == 1 else 's'} accepted")
    ctx.exit(FAILED if problems else 0)


def _told(problem: Problem, text: Text) -> dict[str, object]:
    return {
        "name": text.name,
        "errorClass": problem.error_class,
        "message": problem.message,
        "line": problem.line,
        "position": problem.position,
    }


def _excerpt(problem: Problem, sql: str) -> str:
    """The line, and carets under the place."""
    line = sql.split("\n")[problem.line - 1]
    width = max(1, min(problem.stop - problem.start, len(line) - problem.position))
    margin = "".join("\t" if letter == "\t" else " " for letter in line[: problem.position])
    return f"  {line}\n  {margin}{'^' * width}"
