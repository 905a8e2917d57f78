"""What may follow a frame inside OVER (…): SLIDE or ACTIVE EXPIRATION, and time units in its bounds."""

from __future__ import annotations

from dataclasses import dataclass

from spark_csql.parse import lengths
from spark_csql.parse.cursor import Cursor, Tokens
from spark_csql.parse.lengths import Length
from spark_csql.parse.lexer import END
from spark_csql.parse.problem import refusal
from spark_csql.parse.units import TIME_UNITS, TUPLES, UNITS, suggestion

_LOOK_AHEAD = 12
_LOOK_BACK = 256
ACTIVE = "ACTIVE EXPIRATION"


@dataclass(frozen=True)
class Tail:
    """The tokens ``first`` to ``last``; ``slide`` is None for ACTIVE EXPIRATION."""

    slide: Length | None
    first: int
    last: int


def tail_end(tokens: Tokens, start: int) -> int:
    """Where the tail that begins at ``start`` ends (exclusive), or -1 if none begins there."""
    if tokens.word(start) not in ("SLIDE", "ACTIVE"):
        return -1
    limit = min(len(tokens) - 1, start + _LOOK_AHEAD)
    end = start
    while end < limit and tokens.kind(end) != "RIGHT_PAREN":
        end += 1
    return end


def read_tail(cursor: Cursor) -> Length | None:
    slide = _one(cursor)
    name = "SLIDE" if slide else ACTIVE
    if cursor.done:
        return slide
    if cursor.word() == name.split()[0]:
        cursor.fail("CSQL_CLAUSE_DOUBLED", part=name)
    if cursor.word() in ("SLIDE", "ACTIVE"):
        cursor.fail(
            "CSQL_CLAUSE_CONTRADICTORY",
            part=cursor.found,
            other=name,
            hint="A frame ends with one of SLIDE and ACTIVE EXPIRATION.",
        )
    raise cursor.failure("CSQL_CLAUSE_SYNTAX", found=cursor.found, expected="')'")


def _one(cursor: Cursor) -> Length | None:
    if cursor.take("SLIDE"):
        return lengths.measured(cursor, "SLIDE", _ends_length)
    if cursor.take("ACTIVE", "EXPIRATION"):
        return None
    cursor.advance()
    raise cursor.failure("CSQL_CLAUSE_SYNTAX", found=cursor.found, expected="EXPIRATION")


def _ends_length(cursor: Cursor) -> bool:
    return cursor.kind() == END or cursor.word() in ("ACTIVE", "SLIDE")


def check_unit(cursor: Cursor) -> None:
    """The unit of a bound, ``RANGE 1 HOUR PRECEDING``, must be one of time."""
    unit = UNITS.get(cursor.word())
    if unit is None or unit.micros is None:
        cursor.fail(
            "CSQL_UNIT_UNKNOWN", unit=cursor.found, units=TIME_UNITS, suggestion=suggestion(cursor.word())
        )


def check_length(cursor: Cursor) -> None:
    lengths.measured(cursor, "RANGE", lambda _: True, least=0)


def lacks_frame(tokens: Tokens, k: int) -> bool:
    """Whether a tail begins here, inside OVER (…), that has no frame in front of it."""
    word = tokens.word(k)
    looks_like = (word == "SLIDE" and tokens.kind(k + 1) == "INTEGER_VALUE") or (
        word == "ACTIVE" and tokens.word(k + 1) == "EXPIRATION" and tokens.kind(k + 2) == "RIGHT_PAREN"
    )
    return looks_like and tokens.word(opening(tokens, k) - 1) == "OVER"


def opening(tokens: Tokens, k: int) -> int:
    """The parenthesis that is open here."""
    depth, at = 0, k - 1
    limit = max(-1, k - _LOOK_BACK)
    while at > limit and (depth > 0 or tokens.kind(at) != "LEFT_PAREN"):
        depth += {"RIGHT_PAREN": 1, "LEFT_PAREN": -1}.get(tokens.kind(at), 0)
        at -= 1
    return at


def frame_start(tokens: Tokens, tail: Tail) -> int | None:
    """ROWS or RANGE of the frame that the tail ends, or None if it stands behind none."""
    for k in range(tail.first - 1, opening(tokens, tail.first), -1):
        if tokens.kind(k) in ("ROWS", "RANGE") and tokens.kind(k - 1) != "DOT":
            return k
    return None


def check_fit(tokens: Tokens, tail: Tail, frame: int) -> None:
    """The tail must be counted in what the frame counts."""
    in_rows = tokens.kind(frame) == "ROWS"
    bound = frame + 2 if tokens.kind(frame + 1) == "BETWEEN" else frame + 1
    unbounded = tokens.kind(bound) == "UNBOUNDED" and tokens.kind(bound + 1) == "PRECEDING"
    if tail.slide is None:
        if in_rows or unbounded:
            raise refusal(
                "CSQL_CLAUSE_CONTRADICTORY",
                tokens[tail.first],
                tokens[tail.last],
                part=ACTIVE,
                other="ROWS" if in_rows else "UNBOUNDED PRECEDING",
                hint="Tuples expire from a frame in time only: write RANGE n unit PRECEDING.",
            )
        return
    unit = tail.slide.unit
    if (in_rows and unit.micros) or (not in_rows and unit == TUPLES):
        raise refusal(
            "CSQL_UNIT_MISMATCH",
            tail.slide.first,
            tail.slide.last,
            part="SLIDE",
            unit=unit.kind,
            other=tokens.kind(frame),
            otherUnit="tuples" if in_rows else "time",
        )
