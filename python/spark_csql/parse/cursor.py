"""Reads our own syntax from a stretch of the visible tokens.

Keywords are told by their text and their place only: none of ours is reserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from spark_csql.parse.lexer import END, Token
from spark_csql.parse.problem import Refused, refusal, told


class Tokens:
    """The visible tokens of a text, the last one EOF; indices outside are harmless."""

    def __init__(self, visible: Sequence[Token]) -> None:
        self.visible = visible

    def __len__(self) -> int:
        return len(self.visible)

    def __getitem__(self, index: int) -> Token:
        return self.visible[max(0, min(index, len(self.visible) - 1))]

    def kind(self, index: int) -> str:
        return "" if index < 0 else self[index].kind

    def word(self, index: int) -> str:
        return self.visible[index].word if 0 <= index < len(self.visible) else ""


def is_word_like(kind: str, word: str) -> bool:
    """Words, and names that begin with a digit."""
    return (bool(word) and kind != "STRING_LITERAL") or kind == "IDENTIFIER"


class Cursor:
    """The tokens from ``index`` to ``end``, which is not among them."""

    def __init__(self, tokens: Tokens, index: int, end: int) -> None:
        self.tokens = tokens
        self.index = index
        self.end = end

    @property
    def done(self) -> bool:
        return self.index >= self.end

    @property
    def current(self) -> Token:
        return self.tokens[self.index]

    @property
    def previous(self) -> Token:
        return self.tokens[self.index - 1]

    @property
    def found(self) -> str:
        """What stands here, for messages."""
        return told(self.current)

    def kind(self, ahead: int = 0) -> str:
        return self.tokens[self.index + ahead].kind if self.index + ahead < self.end else END

    def word(self, ahead: int = 0) -> str:
        return self.tokens.word(self.index + ahead) if self.index + ahead < self.end else ""

    def advance(self, count: int = 1) -> None:
        self.index += count

    def take(self, *words: str) -> bool:
        found = all(self.word(i) == word for i, word in enumerate(words))
        if found:
            self.advance(len(words))
        return found

    def take_kind(self, kind: str) -> bool:
        found = not self.done and self.current.kind == kind
        if found:
            self.advance()
        return found

    def is_marker(self, ahead: int = 0) -> bool:
        """``?`` or ``:name``."""
        return self.kind(ahead) == "QUESTION" or (
            self.kind(ahead) == "COLON" and is_word_like(self.kind(ahead + 1), self.word(ahead + 1))
        )

    def marker(self) -> None:
        self.advance(1 if self.kind() == "QUESTION" else 2)

    def is_name(self, ahead: int = 0) -> bool:
        kind = self.kind(ahead)
        return is_word_like(kind, self.word(ahead)) or kind == "BACKQUOTED_IDENTIFIER"

    def name(self) -> list[str] | None:
        """The parts of a name, or None where none stands."""
        if not self.is_name():
            return None
        parts = [self._name_part()]
        while self.kind() == "DOT" and self.is_name(1):
            self.advance()
            parts.append(self._name_part())
        return parts

    def _name_part(self) -> str:
        token = self.current
        self.advance()
        if token.kind == "BACKQUOTED_IDENTIFIER":
            return token.text[1:-1].replace("``", "`")
        return token.text

    def is_string(self) -> bool:
        return self.kind() in ("STRING_LITERAL", "DOUBLEQUOTED_STRING")

    def failure(self, error_class: str, /, **parameters: str) -> Refused:
        return refusal(error_class, self.current, self.current, **parameters)

    def fail(self, error_class: str, /, **parameters: str) -> NoReturn:
        raise self.failure(error_class, **parameters)

    def fail_since(self, first: Token, error_class: str, /, **parameters: str) -> NoReturn:
        raise refusal(error_class, first, self.previous, **parameters)
