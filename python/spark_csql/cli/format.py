"""``spark-csql format``: pretty-prints a text."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from spark_csql.cli.failures import FAILED, Failure
from spark_csql.cli.texts import Text, text_options
from spark_csql.formatting import format as formatted


@click.command("format")
@text_options
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if the text would change.")
@click.option("--in-place", is_flag=True, help="Rewrite the file.")
@click.pass_context
def format(ctx: click.Context, text: Text, check: bool, in_place: bool) -> None:
    """Lay out FILE, -e or standard input: one clause a line. Tokens and comments stay as they are."""
    made = formatted(text.sql)
    if check:
        if made != text.sql:
            click.echo(f"{text.name} would change.", err=True)
            ctx.exit(FAILED)
    elif not in_place:
        click.echo(made, nl=False)
    elif text.path is None:
        raise click.UsageError("--in-place needs a file.")
    elif made != text.sql:
        _write(text.path, made)


def _write(path: Path, text: str) -> None:
    """The file as it was, or the new one: never a part of it. A link stays one."""
    file = path.resolve()
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as new:
            beside = Path(new.name)
            try:
                new.write(text)
                new.flush()
                shutil.copymode(file, beside)
                beside.replace(file)
            finally:
                beside.unlink(missing_ok=True)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror}.") from error
