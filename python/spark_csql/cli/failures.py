"""How commands fail: exit codes, and errors in words instead of stack traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

FAILED = 1
"""A statement was refused or failed, or what the command looks at is not as it should be."""
WRONG_USE = 2
"""The command was called wrongly: click's own code."""
INTERRUPTED = 130


class Failure(click.ClickException):
    """What a command could not do, in one sentence."""

    exit_code = FAILED


@contextmanager
def told_at(place: str) -> Iterator[None]:
    """Whatever fails here is told with its place."""
    try:
        yield
    except (Failure, BrokenPipeError):
        raise
    except Exception as error:
        raise Failure(f"{place}: {sentence(error)}") from error


def sentence(error: BaseException) -> str:
    """An error as its reader needs it: Spark's message with the place in the text, without stack traces."""
    details = getattr(error, "details", None)  # gRPC's: the server's own words
    if callable(details):
        return f"The server says: {details()}."
    text = str(error).split("\nJVM stacktrace:")[0].strip()
    call = re.search(r'\A<.* of RPC that terminated with:.*?\sdetails = "(.*?)"\n', text, re.DOTALL)
    if call:
        return f"The server {'does not answer' if 'StatusCode.UNAVAILABLE' in text else 'says'}: {call[1]}."
    cause = getattr(error, "_cause", None)  # PySpark's: what Java says caused it
    if text.endswith(":") and cause is not None:
        return sentence(cause)
    text = re.sub(r"\AAn error occurred while calling .*\n: (?:[\w.$]+: )?", "", text)  # Py4J's words
    without_plan = re.split(r";\n(?='?[A-Z]\w*(?: |\n|$))", text)[0]
    lines = [line for line in without_plan.splitlines() if not line.startswith("\tat ")]
    return "\n".join(lines) or type(error).__name__
