"""Commands of the command line, run in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Done(NamedTuple):
    """The exit code of a command, and what it says."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]
