"""A streaming answer on the screen: a table that refreshes, or rows as they come."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from spark_csql.cli.execution import LOOK_EVERY_SECONDS
from spark_csql.cli.follow import Following
from spark_csql.cli.interrupts import Interrupts
from spark_csql.cli.output import Printer, table


def show(following: Following, printer: Printer, mode: str, rows: int, interrupts: Interrupts) -> None:
    """Until Ctrl-C, or until the answer ends. Ending the view does not end the query."""
    if mode == "live" and printer.format == "table":
        _live(following, printer, rows, interrupts)
    else:
        _changelog(following, printer, interrupts)
    if interrupts.seen:
        name = following.name
        printer.console.print(f"{name} runs on: .view {name} shows it again, .stop {name} ends it.")


def _live(following: Following, printer: Printer, rows: int, interrupts: Interrupts) -> None:
    """The last rows, refreshed in place."""
    last: deque[tuple[Any, ...]] = deque(maxlen=rows)
    with Live(console=printer.console, auto_refresh=False) as live:
        ended = False
        while not ended and not interrupts.seen:
            ended = following.wait(LOOK_EVERY_SECONDS)
            last.extend(following.fresh())
            told = f"{following.name}: {following.seen} rows, {time.strftime('%H:%M:%S')}, Ctrl-C leaves"
            live.update(Group(table(following.columns, last), Text(told, style="dim")), refresh=True)


def _changelog(following: Following, printer: Printer, interrupts: Interrupts) -> None:
    """Every row, one below the other."""
    printer.header(following.columns)
    ended = False
    while not ended and not interrupts.seen:
        ended = following.wait(LOOK_EVERY_SECONDS)
        printer.lines(following.columns, following.fresh())
