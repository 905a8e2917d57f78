"""Where commands get their SQL from: a file, ``-e "…"`` or standard input."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from spark_csql.cli.failures import Failure


@dataclass(frozen=True)
class Text:
    """SQL, what it is called in messages, and the file it comes from."""

    sql: str
    name: str
    path: Path | None = None


def text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds FILE and ``-e``, and hands the text on as the argument ``text``."""

    @click.argument("file", required=False)
    @click.option("-e", "--execute", "inline", metavar="SQL", help="The text itself, instead of a file.")
    @functools.wraps(command)
    def with_text(*args: Any, file: str | None, inline: str | None, **kwargs: Any) -> Any:
        return command(*args, text=_text(file, inline), **kwargs)

    return with_text


def _text(file: str | None, inline: str | None) -> Text:
    if file is not None and inline is not None:
        raise click.UsageError("Give a file or -e, not both.")
    if inline is not None:
        return Text(inline, "-e")
    if file is None or file == "-":
        if file is None and sys.stdin is not None and sys.stdin.isatty():
            raise click.UsageError('Give a file, -e "…", or the text on standard input.')
        return standard_input()
    return Text(decoded(read_bytes(Path(file)), file), file, Path(file))


def standard_input() -> Text:
    if sys.stdin is None:  # it was closed
        raise click.UsageError("There is no standard input.")
    return Text(decoded(sys.stdin.buffer.read(), "standard input"), "standard input")


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}.") from error


def decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Failure(f"{name} is not UTF-8 text: byte {error.start} does not belong there.") from error
