"""The command ``spark-csql``: its table of contents, and what becomes of errors."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Sequence

import click

from spark_csql.cli.failures import FAILED, INTERRUPTED, sentence
from spark_csql.version import __version__

# Each name is a module beside this one, which holds the command under the same name.
COMMANDS = ("shell", "run", "validate", "format", "explain", "simulate", "serve", "top", "doctor")


class Contents(click.Group):
    """Loads a command when it is asked for: a module may need much that others do not."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found = getattr(importlib.import_module(f"spark_csql.cli.{cmd_name}"), cmd_name)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=Contents, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show where an error comes from.")
@click.version_option(__version__, prog_name="spark-csql")
def spark_csql(debug: bool) -> None:
    """Continuous queries in Spark SQL: windows and frequencies over streams and tables."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; an error is a sentence, unless --debug is given."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    words = [word for word in given if word != "--debug"]
    if not debug:
        logging.basicConfig(handlers=[logging.NullHandler()])  # libraries log errors that are told here
    try:
        # Without its standalone mode, click returns what a command returns, or the code it exits with.
        code = spark_csql.main(args=words, prog_name="spark-csql", standalone_mode=False, obj=debug)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        if debug and error.__cause__ is not None:
            raise
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere
        return FAILED
    except Exception as error:
        if debug:
            raise
        click.echo(f"Error: {sentence(error)}", err=True)
        return FAILED
