"""Tokens of SQL text with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

PATTERN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*(?!\+).*?\*/)
      | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")
      | (?P<quoted>`(?:[^`]|``)*`)
      | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<symbol>/\*\+|\*/|<=>|<>|<=|>=|!=|==|\|\||::|->|.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    kind: str  # string, quoted, number, word, symbol
    text: str
    position: tuple[int, int]  # line and column, from 1

    @property
    def word(self) -> str:
        """The keyword in upper case, or nothing."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The identifier, without its quotes."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


def tokenize(sql: str) -> list[Token]:
    found = []
    for match in PATTERN.finditer(sql):
        if match.lastgroup != "skip":
            before = sql[: match.start()]
            place = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
            found.append(Token(match.lastgroup or "", match.group(), place))
    return found
