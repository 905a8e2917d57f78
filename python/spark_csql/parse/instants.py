"""Reads constant instants; what their strings mean is left to Spark."""

from __future__ import annotations

from typing import NoReturn

from spark_csql.parse.cursor import Cursor
from spark_csql.parse.lexer import NUMBERS
from spark_csql.parse.problem import refusal

_TYPES = frozenset(("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE"))
_SPECIAL = ("epoch", "now", "today", "tomorrow", "yesterday")


def starts(cursor: Cursor, ahead: int = 0) -> bool:
    kind = cursor.kind(ahead)
    return (
        kind in NUMBERS
        or kind in ("MINUS", "STRING_LITERAL", "DOUBLEQUOTED_STRING")
        or cursor.is_marker(ahead)
        or cursor.word(ahead) in _TYPES
    )


def read(cursor: Cursor, part: str) -> None:
    if cursor.done:
        _missing(cursor, part)
    if cursor.is_marker():
        cursor.marker()
        return
    first, typed = cursor.current, cursor.word() in _TYPES
    if typed or (cursor.kind() == "MINUS" and cursor.kind(1) in NUMBERS):
        cursor.advance()
    if cursor.kind() in NUMBERS:
        cursor.advance()
    elif cursor.is_string():
        text = ""
        while cursor.is_string():
            text += cursor.current.text[1:-1]
            cursor.advance()
        if typed and not _may_be_instant(text):
            raise refusal(
                "INVALID_TYPED_LITERAL", first, cursor.previous, value=f"'{text}' is no {first.text}."
            )
    else:
        _missing(cursor, part)


def _may_be_instant(text: str) -> bool:
    return any(c.isdigit() or c == "\\" for c in text) or text.strip().lower().startswith(_SPECIAL)


def _missing(cursor: Cursor, part: str) -> NoReturn:
    cursor.fail("CSQL_INSTANT_INVALID", part=part, found=cursor.found)
