"""Cuts a script into statements, at the semicolons that end one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spark_csql.parse.lexer import END, Token, lex

_STARTS_STATEMENT = frozenset(("SEMICOLON", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "COLON"))
_COMPOUND = frozenset(("IF", "WHILE", "LOOP", "REPEAT", "FOR"))


@dataclass(frozen=True)
class Statement:
    """One statement of a script; ``line`` counts from 1."""

    text: str
    line: int


def split(text: str) -> list[Statement]:
    """The statements of a script, without their semicolons and without empty ones."""
    found = []
    for tokens in cut(lex(text)):
        visible = [token for token in tokens if token.visible]
        if visible:
            found.append(Statement(text[visible[0].start : visible[-1].stop], visible[0].line))
    return found


def is_complete(text: str) -> bool:
    """Whether the last statement of the text is ended by a semicolon."""
    tokens = lex(text)
    *_, rest = cut(tokens)
    open_quote = any(token.kind == "UNRECOGNIZED" and token.text in "'\"`" for token in tokens)
    return not open_quote and not any(token.visible for token in rest)


def is_raw(visible: list[Token]) -> bool:
    """Whether Spark takes the rest of a statement as it is written: a setting, or the path of a file."""
    kinds = [token.kind for token in visible[:2]]
    return kinds[:1] in (["SET"], ["ADD"], ["LIST"]) and kinds[1:] not in (["VAR"], ["VARIABLE"])


def cut(tokens: list[Token]) -> Iterator[list[Token]]:
    """Runs of tokens between the semicolons that end statements; the last run is what follows the last one.

    A semicolon inside the braces of an aggregate, or between BEGIN and END of a script of Spark's, ends none.
    """
    run: list[Token] = []
    nesting = _Nesting()
    for token in tokens:
        if token.kind == END:
            break
        if token.visible:
            nesting.next(token)
        if token.kind == "SEMICOLON" and nesting.outside:
            yield run
            run, nesting = [], _Nesting()
        else:
            run.append(token)
    yield run


class _Nesting:
    """How deep inside of braces and of BEGIN … END a statement is."""

    def __init__(self) -> None:
        self.braces = 0
        self.blocks: list[str] = []
        self.scripted: bool | None = None
        self.previous = ""

    @property
    def outside(self) -> bool:
        return self.braces <= 0 and not self.blocks

    def next(self, token: Token) -> None:
        kind = token.kind
        if self.scripted is None:
            self.scripted = kind == "BEGIN"
        if kind == "UNRECOGNIZED":
            self.braces += {"{": 1, "}": -1}.get(token.text, 0)
        elif self.scripted and self.previous != "END":
            if kind == "CASE":
                self.blocks.append("CASE statement" if self._starts_statement else "CASE")
            elif kind == "BEGIN" or (kind in _COMPOUND and self._starts_statement):
                self.blocks.append(kind)
            elif kind == "END" and self.blocks:
                self.blocks.pop()
        self.previous = kind

    @property
    def _starts_statement(self) -> bool:
        """Behind THEN and ELSE of an expression stand values, also of functions such as if."""
        in_expression = self.blocks[-1:] == ["CASE"]
        return self.previous in _STARTS_STATEMENT and not in_expression
