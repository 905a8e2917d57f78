"""Names and lengths as parts of a statement: quoted, never pasted."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

Name = str | Sequence[str]
"""One name, or the parts of a qualified one: ``"s"`` or ``("db", "s")``. A dot in a name is part of it."""
Length = str | datetime.timedelta
"""``"5 seconds"``, or a timedelta."""

_UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "tuple", "row")


def quoted(name: Name) -> str:
    """A name that is read as this name, whatever letters it has."""
    parts = [name] if isinstance(name, str) else list(name)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(f"{name!r} is no name: give a string, or the parts of a qualified name.")
    if any("${" in part for part in parts):  # inside of quotes too
        raise ValueError(f"{name!r} is no name: Spark replaces ${{…}} in statements by settings.")
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def quoted_list(names: str | Sequence[str]) -> str:
    """Columns; a single one may stand for a list of one."""
    return ", ".join(quoted(name) for name in ([names] if isinstance(names, str) else names))


def length(value: Length) -> str:
    """``n unit``; what cannot be one is refused before it reaches a statement."""
    if isinstance(value, datetime.timedelta):
        return f"{value // datetime.timedelta(microseconds=1)} microseconds"
    found = re.fullmatch(r"\s*(\d+)(?:\s+([A-Za-z]+))?\s*", value, re.ASCII)
    unit = (found[2] or "") if found else ""
    if not found or (unit and unit.lower().removesuffix("s") not in _UNITS):
        raise ValueError(f"{value!r} is no length: write for example '5 seconds', '10 tuples' or '100'.")
    return f"{found[1]} {unit}".rstrip()
