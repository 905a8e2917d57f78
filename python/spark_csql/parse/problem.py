"""What is wrong with a text, in the words of the engine."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_csql.parse.lexer import END, Token

CONDITIONS = "csql-error-conditions.json"


@dataclass(frozen=True)
class Problem:
    """Why the engine refuses a statement.

    ``line`` counts from 1 and ``position`` in the line from 0, as Spark's own messages do;
    ``text[start:stop]`` is the place in the text that was given.
    """

    error_class: str
    message: str
    line: int
    position: int
    start: int
    stop: int

    def __str__(self) -> str:
        return f"[{self.error_class}] {self.message} (line {self.line}, pos {self.position})"


class Refused(Exception):
    """Carries a problem out of the reader that found it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def refusal(error_class: str, first: Token, last: Token, /, **parameters: str) -> Refused:
    """The tokens from ``first`` to ``last`` are wrong."""
    stop = max(first.start, last.stop)
    return Refused(
        Problem(error_class, message(error_class, parameters), first.line, first.position, first.start, stop)
    )


def message(error_class: str, parameters: dict[str, str]) -> str:
    """The text of an error class of ours, or the bare facts of one of Spark's."""
    condition = conditions().get(error_class)
    if condition is None:
        return " ".join(parameters.values())
    template = "\n".join(condition["message"])
    return re.sub(r"<(\w+)>", lambda name: parameters.get(name[1], name[0]), template)


def told(token: Token) -> str:
    """A token, for messages."""
    return "the end of the statement" if token.kind == END else f"'{token.text}'"


@functools.cache
def conditions() -> dict[str, Any]:
    """The catalogue that the engine uses: inside the installed package, or in a source checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "error", package.parent.parent / "jvm" / "src" / "main" / "resources" / "error"):
        file = folder / CONDITIONS
        if file.is_file():
            found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            return found
    raise FileNotFoundError(f"{CONDITIONS} is not in {package / 'error'}: install spark-csql from its wheel.")
