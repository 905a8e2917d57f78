"""How commands fail: exit codes, and errors in words instead of stack traces."""

from __future__ import annotations

import re

import click

FAILED = 1
"""A statement was refused or failed, or what the command looks at is not as it should be."""
WRONG_USE = 2
"""The command was called wrongly: click's own code."""
INTERRUPTED = 130


class Failure(click.ClickException):
    """What a command could not do, in one sentence."""

    exit_code = FAILED


def sentence(error: BaseException) -> str:
    """An error as its reader needs it: Spark's message with the place in the text, without stack traces."""
    details = getattr(error, "details", None)  # gRPC's: the server's own words
    if callable(details):
        return f"The server says: {details()}."
    text = str(error).split("\nJVM stacktrace:")[0].strip()
    cause = getattr(error, "_cause", None)  # PySpark's: what Java says caused it
    if text.endswith(":") and cause is not None:
        return sentence(cause)
    without_plan = re.split(r";\n(?='?[A-Z]\w*(?: |\n|$))", text)[0]
    lines = [line for line in without_plan.splitlines() if not line.startswith("\tat ")]
    return "\n".join(lines) or type(error).__name__
