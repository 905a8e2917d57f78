"""Reads what stands between the brackets of a clause."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spark_csql.parse import instants, lengths
from spark_csql.parse.cursor import Cursor
from spark_csql.parse.lengths import Length
from spark_csql.parse.lexer import END, Token
from spark_csql.parse.problem import Refused, refusal
from spark_csql.parse.units import UNITS

_EXPECTED = "Range, Rows, Now, Tumble, Landmark, Band, Partition By, Lag, Frequency, Slide, Origin or On"
_SIZED = frozenset(("RANGE", "ROWS", "FREQUENCY", "SLIDE", "TUMBLE", "LAG"))
_BOUNDS = frozenset(("FROM", "UNTIL"))
PART_WORDS = _SIZED | {"NOW", "LANDMARK", "BAND", "PARTITION", "PARTITIONED", "ORIGIN", "ON"}
"""The words that can begin a part."""

WINDOWS = frozenset(("sized", "tumble", "unbounded", "now", "between"))
"""The kinds of part that choose the tuples of a window; a clause has at most one."""


@dataclass(frozen=True)
class ColumnName:
    parts: list[str]
    first: Token
    last: Token


@dataclass(frozen=True)
class Partitioning:
    columns: list[ColumnName]
    first: Token
    last: Token


@dataclass(frozen=True)
class Part:
    """One part, as written: ``kind`` is one of WINDOWS, ``sampling``, ``lag``, ``origin`` or ``on``."""

    kind: str
    name: str
    first: Token
    last: Token
    length: Length | None = None
    column: ColumnName | None = None
    by: Partitioning | None = None

    @property
    def qualifies(self) -> bool:
        """It only says more about a window or a frequency."""
        return self.kind in ("lag", "origin", "on")


def starts_part(cursor: Cursor, ahead: int) -> bool:
    """Does a part begin here, and not a column of that name? What follows decides: no word is reserved."""
    word, following = cursor.word(ahead), cursor.word(ahead + 1)
    kind = cursor.kind(ahead + 1)
    ends = kind in (END, "COMMA")
    if word in _SIZED:
        return not ends and kind != "DOT" and following not in PART_WORDS
    if word == "NOW":
        return ends
    if word == "LANDMARK":
        return following in ("FROM", "UNTIL")
    if word == "BAND":
        return following == "FROM"
    if word in ("PARTITION", "PARTITIONED"):
        return following == "BY"
    if word == "ORIGIN":
        return instants.starts(cursor, ahead + 1)
    return word == "ON" and cursor.is_name(ahead + 1)


class ClauseReader:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.parts: list[Part] = []
        self.waiting: Partitioning | None = None  # for the part it stands before

    def read(self) -> list[Part]:
        cursor, comma = self.cursor, False
        while True:
            if cursor.word().startswith("PARTITION"):
                self.partitioning(comma)
            else:
                self.add()
            comma = cursor.take_kind("COMMA")
            if not comma and cursor.done:
                break
        if self.waiting:
            raise refusal(
                "CSQL_CLAUSE_INCOMPLETE",
                self.waiting.first,
                self.waiting.last,
                part="Partition By",
                missing="a part to apply to, but nothing follows it",
                hint="Write for example [Partition By a Rows 10] or [Frequency 10 Tuples Partitioned By a].",
            )
        return self.parts

    def add(self) -> None:
        part = self.part()
        if not part.qualifies:
            part = replace(part, by=self.waiting)
            self.waiting = None
        self.parts.append(part)

    def part(self) -> Part:
        cursor, first, word = self.cursor, self.cursor.current, self.cursor.word()
        for name in ("RANGE", "ROWS"):
            if cursor.take(name, "UNBOUNDED"):
                return Part("unbounded", f"{name.capitalize()} Unbounded", first, cursor.previous)
        if word in _SIZED:
            cursor.advance()
            name = word.capitalize()
            length = lengths.tuples(cursor, name) if word == "ROWS" else self.measured(name)
            kind = {"TUMBLE": "tumble", "LAG": "lag", "FREQUENCY": "sampling", "SLIDE": "sampling"}
            return Part(kind.get(word, "sized"), name, first, cursor.previous, length)
        if cursor.take("NOW"):
            return Part("now", "Now", first, cursor.previous)
        if cursor.take("LANDMARK"):
            return self.landmark(first)
        if cursor.take("BAND"):
            return self.band(first)
        if cursor.take("ORIGIN"):
            instants.read(cursor, "Origin")
            return Part("origin", "Origin", first, cursor.previous)
        if cursor.take("ON"):
            column = self.name("a column")
            return Part("on", "On", first, cursor.previous, column=column)
        if word in _BOUNDS:
            cursor.fail(
                "CSQL_CLAUSE_INCOMPLETE",
                part=cursor.found,
                missing="Landmark or Band before it",
                hint="Write [Landmark From ts], [Landmark Until ts] or [Band From ts1 Until ts2].",
            )
        raise self.unexpected(_EXPECTED)

    def measured(self, part: str) -> Length:
        return lengths.measured(self.cursor, part, self.ends_length)

    @staticmethod
    def ends_length(cursor: Cursor) -> bool:
        """A bare number ends where a comma or the next part begins."""
        word = cursor.word()
        return (
            cursor.done
            or cursor.kind() == "COMMA"
            or starts_part(cursor, 0)
            or ((word in _BOUNDS or word in PART_WORDS) and word not in UNITS)
        )

    def landmark(self, first: Token) -> Part:
        cursor = self.cursor
        if cursor.take("FROM"):
            instants.read(cursor, "Landmark From")
            if cursor.word() == "UNTIL":
                cursor.fail(
                    "CSQL_CLAUSE_CONTRADICTORY",
                    part="Until",
                    other="Landmark From",
                    hint="A window with both bounds is written [Band From ts1 Until ts2].",
                )
            return Part("between", "Landmark From", first, cursor.previous)
        if cursor.take("UNTIL"):
            instants.read(cursor, "Landmark Until")
            return Part("between", "Landmark Until", first, cursor.previous)
        raise self.unexpected("From or Until behind Landmark")

    def band(self, first: Token) -> Part:
        cursor = self.cursor
        if not cursor.take("FROM"):
            raise self.unexpected("From behind Band")
        instants.read(cursor, "Band From")
        if not cursor.take("UNTIL"):
            cursor.fail_since(
                first,
                "CSQL_CLAUSE_INCOMPLETE",
                part="Band",
                missing="an Until",
                hint="Write [Band From ts1 Until ts2], or [Landmark From ts] for a window without an end.",
            )
        instants.read(cursor, "Band Until")
        return Part("between", "Band", first, cursor.previous)

    def partitioning(self, after_comma: bool) -> None:
        """It belongs to the window or frequency before it, unless there is none, or a comma parts them."""
        cursor, first = self.cursor, self.cursor.current
        if not cursor.take("PARTITION", "BY") and not cursor.take("PARTITIONED", "BY"):
            cursor.advance()
            raise self.unexpected("By")
        columns = [self.name("a column to partition by")]
        while cursor.kind() == "COMMA" and not starts_part(cursor, 1):
            cursor.advance()
            columns.append(self.name("a column to partition by"))
        by = Partitioning(columns, first, cursor.previous)
        owner = max((i for i, part in enumerate(self.parts) if not part.qualifies), default=-1)
        opens_next = owner < 0 or (after_comma and not cursor.done and cursor.kind() != "COMMA")
        taken = self.waiting if opens_next else self.parts[owner].by
        if taken:
            raise refusal("CSQL_CLAUSE_DOUBLED", by.first, by.last, part="Partition By")
        if opens_next:
            self.waiting = by
        else:
            self.parts[owner] = replace(self.parts[owner], by=by)

    def name(self, expected: str) -> ColumnName:
        first, parts = self.cursor.current, self.cursor.name()
        if parts is None:
            raise self.unexpected(expected)
        return ColumnName(parts, first, self.cursor.previous)

    def unexpected(self, expected: str) -> Refused:
        return self.cursor.failure("CSQL_CLAUSE_SYNTAX", found=self.cursor.found, expected=expected)
