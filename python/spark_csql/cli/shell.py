"""``spark-csql shell``: statements typed by hand."""

from __future__ import annotations

import itertools
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from pyspark.sql import DataFrame, SparkSession

from spark_csql.cli.colours import STYLE, SqlColours
from spark_csql.cli.completion import Names, SqlCompleter
from spark_csql.cli.execution import Execution
from spark_csql.cli.failures import FAILED, sentence
from spark_csql.cli.follow import Following
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer
from spark_csql.cli.session import Where, opened, where_options
from spark_csql.cli.texts import standard_input
from spark_csql.cli.views import show
from spark_csql.parse.script import is_complete, split
from spark_csql.queries import ContinuousQuery, queries
from spark_csql.quoting import quoted
from spark_csql.version import __version__

GREETING = f"spark-csql {__version__}. A statement ends with ';'. .help lists the commands of the shell."
HELP = """\
.queries      continuous queries and open views
.view NAME    show a streaming answer, or the table of a continuous query, again
.stop NAME    end it; the rows of an open view are kept in memory until then
.mode MODE    streaming answers as 'live' table or as 'changelog'
.help         this list
.quit         leave; also Ctrl-D. Views end then, continuous queries too unless a server runs them
"""
LEAVE = (".quit", ".exit", "quit", "exit")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a row.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=1000, show_default=True, help="Rows of an answer."
)
@click.option("--mode", type=click.Choice(["live", "changelog"]), default="live", show_default=True)
@where_options
@click.pass_context
def shell(ctx: click.Context, as_json: bool, limit: int, mode: str, where: Where) -> None:
    """Type statements; answers come as tables, streaming answers as they grow.

    Without a terminal the statements are read from standard input, and the first that fails ends the shell.
    """
    text = None if sys.stdin is not None and sys.stdin.isatty() else standard_input()
    with opened(where) as spark:
        made = Shell(spark, Printer(as_json), limit, mode, debug=bool(ctx.obj))
        well = made.interact() if text is None else made.run_all(text.sql)
    ctx.exit(0 if well else FAILED)


class Shell:
    def __init__(
        self, spark: SparkSession, printer: Printer, limit: int, mode: str, debug: bool = False
    ) -> None:
        self.spark = spark
        self.printer = printer
        self.mode = mode
        self.limit = limit
        self.debug = debug
        self.views: dict[str, Following] = {}
        self.opened = 0
        self.names = Names(spark)
        self.commands: dict[str, Callable[[str], None]] = {
            ".queries": self.list_queries,
            ".view": self.view,
            ".stop": self.stop,
            ".mode": self.set_mode,
            ".help": lambda _: click.echo(HELP, nl=False),
        }

    def interact(self) -> bool:
        click.echo(GREETING)
        prompt: PromptSession[str] = PromptSession(
            history=_history(),
            lexer=SqlColours(),
            style=STYLE,
            completer=SqlCompleter(self.names, [*self.commands, ".quit"]),
            complete_while_typing=False,
            multiline=True,
            key_bindings=_keys(),
            prompt_continuation=lambda width, number, soft: "  ... ",
        )
        while True:
            with Interrupts():
                self.names.refresh()
            try:
                text = prompt.prompt("csql> ").strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                break
            if text.rstrip("; ") in LEAVE:
                break
            try:
                self.enter(text)
            except KeyboardInterrupt:
                click.echo("Cancelled.", err=True)
        self.end_views()
        return True

    def run_all(self, text: str) -> bool:
        """All of a text that nobody types; whether all of it went well."""
        lines = text.splitlines()
        if any(line.startswith(".") for line in lines):
            entered = itertools.takewhile(lambda entry: entry.strip("; \n") not in LEAVE, _entries(lines))
            return all(self.enter(entry) for entry in entered)
        return self.enter(text)

    def enter(self, text: str) -> bool:
        """A command of the shell, or statements; whether they went well. An error is told."""
        try:
            if text.startswith("."):
                with Interrupts() as interrupts:
                    self.command(text)
                interrupts.check()
            else:
                for statement in split(text):
                    self.statement(statement.text)
        except BrokenPipeError:  # nobody reads on
            raise
        except Exception as error:
            click.echo(f"Error: {sentence(error)}", err=True)
            if self.debug:
                traceback.print_exception(error)
            return False
        return True

    def command(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word not in self.commands:
            raise click.UsageError(f"There is no command {word}; .help lists them.")
        self.commands[word](rest.strip().rstrip(";"))

    def statement(self, text: str) -> None:
        execution = Execution(self.spark, self.printer, {}, self.limit, follow=False)
        asked = execution.ask(text)
        if asked.is_streaming:
            self.follow(asked.frame)
        elif asked.has_answer:
            execution.batch(asked.frame)

    def follow(self, frame: DataFrame) -> None:
        self.opened += 1
        name = f"view_{self.opened}"
        with Interrupts() as interrupts:
            self.views[name] = Following(self.spark, frame, name)
            show(self.views[name], self.printer, self.mode, _screen_rows(), interrupts)

    def list_queries(self, _: str) -> None:
        rows = [(query.name, query.status, query.table) for query in queries(self.spark)]
        open_views = [(name, "view", name) for name in self.views]
        self.printer.answer(["name", "status", "table"], rows + open_views)

    def view(self, name: str) -> None:
        if name in self.views:
            self.views[name].seen = 0
            with Interrupts() as interrupts:
                show(self.views[name], self.printer, self.mode, _screen_rows(), interrupts)
            return
        table = self.query(name).table
        database, _, own = table.partition(".")
        self.follow(self.spark.readStream.table(quoted((database, own))))

    def stop(self, name: str) -> None:
        if name in self.views:
            self.views.pop(name).close()
            return
        self.query(name).stop()

    def query(self, name: str) -> ContinuousQuery:
        found = [query for query in queries(self.spark) if query.name == name]
        if not found:
            raise click.UsageError(f"There is no view and no continuous query {name!r}; .queries lists them.")
        return found[0]

    def set_mode(self, mode: str) -> None:
        if mode not in ("live", "changelog"):
            raise click.UsageError("Streaming answers are shown as .mode live or .mode changelog.")
        self.mode = mode

    def end_views(self) -> None:
        for following in self.views.values():
            following.close()


def _entries(lines: Iterable[str]) -> list[str]:
    """Commands of the shell stand on lines of their own, between statements."""
    entries = [""]
    for line in lines:
        if line.startswith("."):
            entries += [line, ""]
        else:
            entries[-1] += line + "\n"
    return [entry for entry in entries if entry.strip()]


def _history() -> History:
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "spark-csql"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "history").touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(folder / "history"))


def _keys() -> KeyBindings:
    """Enter sends a statement that is complete, and begins a new line in one that is not."""
    keys = KeyBindings()

    @Condition
    def complete() -> bool:
        from prompt_toolkit.application import get_app

        text = get_app().current_buffer.text.strip()
        return not text or text.startswith(".") or text in LEAVE or is_complete(text)

    @keys.add("enter", filter=complete)
    def send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return keys


def _screen_rows() -> int:
    return max(5, os.get_terminal_size().lines - 8) if sys.stdout.isatty() else 20
