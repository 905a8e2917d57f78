"""Reads lengths: a positive whole number or a parameter marker, and its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from spark_csql.parse.cursor import Cursor
from spark_csql.parse.lexer import NUMBERS, Token
from spark_csql.parse.problem import refusal
from spark_csql.parse.units import ALL_UNITS, BARE, TUPLES, UNITS, Unit, suggestion

LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Length:
    """``value`` is 1 where a parameter will be bound."""

    value: int
    unit: Unit
    first: Token
    last: Token


def measured(cursor: Cursor, part: str, ends: Callable[[Cursor], bool], least: int = 1) -> Length:
    """``n unit``, or ``n`` where ``ends`` says that the length ends behind the number."""
    first = cursor.current
    value = _number(cursor, part, f"{part} 10 Minutes", least)
    number_end = cursor.previous
    unit = UNITS.get(cursor.word())
    if unit and not (cursor.word() == "ROWS" and ends(cursor)):
        cursor.advance()
    elif cursor.done or ends(cursor):
        unit = BARE
    else:
        _unknown_unit(cursor)
    most = LARGEST // (unit.micros or 1)
    if value > most:
        raise refusal(
            "CSQL_LENGTH_OVERFLOW",
            first,
            number_end,
            length=" ".join((str(value), unit.name)),
            part=part,
            most=f"{most} {unit.name}s",
        )
    return Length(value, unit, first, cursor.previous)


def tuples(cursor: Cursor, part: str) -> Length:
    """``n``, counted in tuples."""
    first = cursor.current
    return Length(_number(cursor, part, f"{part} 10", 1), TUPLES, first, cursor.previous)


def _unknown_unit(cursor: Cursor) -> NoReturn:
    if not cursor.word():
        cursor.fail("CSQL_CLAUSE_SYNTAX", found=cursor.found, expected="a unit, a comma or the clause's end")
    cursor.fail("CSQL_UNIT_UNKNOWN", unit=cursor.found, units=ALL_UNITS, suggestion=suggestion(cursor.word()))


def _number(cursor: Cursor, part: str, example: str, least: int) -> int:
    token = cursor.current
    if cursor.is_marker():
        cursor.marker()
        return max(1, least)
    if cursor.kind() == "INTEGER_VALUE":
        cursor.advance()
        return _whole(cursor, token, part, least)
    if cursor.kind() == "MINUS" and cursor.kind(1) in NUMBERS:
        cursor.advance(2)
        _refuse_sign(cursor, token, part, least)
    if cursor.kind() in NUMBERS:
        cursor.fail("CSQL_LENGTH_FRACTIONAL", length=token.text, part=part)
    raise cursor.failure("CSQL_LENGTH_MISSING", part=part, found=cursor.found, example=example)


def _whole(cursor: Cursor, token: Token, part: str, least: int) -> int:
    if len(token.text.lstrip("0")) > len(str(LARGEST)) or int(token.text) > LARGEST:
        raise refusal("CSQL_LENGTH_OVERFLOW", token, token, length=token.text, part=part, most=str(LARGEST))
    value = int(token.text)
    if value < least:
        _refuse_sign(cursor, token, part, least)
    return value


def _refuse_sign(cursor: Cursor, first: Token, part: str, least: int) -> NoReturn:
    text = " ".join(dict.fromkeys((first.text, cursor.previous.text)))
    cursor.fail_since(first, "CSQL_LENGTH_NOT_POSITIVE", length=text, part=part, least=str(least))
