"""A cursor over one statement of ours, with what all of them need; embedded SQL is left to Spark."""

from __future__ import annotations

from collections.abc import Callable

from spark_csql.parse import lengths
from spark_csql.parse.cursor import Cursor
from spark_csql.parse.heads import SYNTAX
from spark_csql.parse.lengths import Length
from spark_csql.parse.lexer import Token
from spark_csql.parse.problem import Refused, refusal
from spark_csql.parse.units import BARE, TIME_UNITS, TUPLES


class StatementCursor:
    """``queries`` collects the stretches of tokens, from and to, that are queries of their own."""

    def __init__(self, cursor: Cursor, kind: str, check_query: Callable[[int, int], None]) -> None:
        self.cursor = cursor
        self.kind = kind
        self.check_query = check_query

    def expected(self, what: str) -> Refused:
        return self.cursor.failure(
            "CSQL_STATEMENT_SYNTAX",
            statement=self.kind,
            found=self.cursor.found,
            expected=what,
            syntax=SYNTAX[self.kind],
        )

    def need(self, word: str) -> None:
        if not self.cursor.take(word):
            raise self.expected(word)

    def need_end(self) -> None:
        if not self.cursor.done:
            raise self.expected("the end of the statement")

    def name(self, what: str) -> None:
        if self.cursor.name() is None:
            raise self.expected(what)

    def names(self, what: str) -> None:
        self.name(what)
        while self.cursor.take_kind("COMMA"):
            self.name(what)

    def string(self, what: str) -> None:
        """A string, or a marker for one."""
        if self.cursor.is_string():
            self.cursor.advance()
        elif self.cursor.is_marker():
            self.cursor.marker()
        else:
            raise self.expected(what)

    def time_length(self, part: str, least: int, needs_unit: bool, ends: Callable[[Cursor], bool]) -> Length:
        """A length of time, whose unit may only be missing for streams ordered by a number."""
        length = lengths.measured(self.cursor, part, ends, least)
        if length.unit == TUPLES:
            raise refusal(
                "CSQL_UNIT_UNKNOWN",
                length.first,
                length.last,
                unit=f"{length.value} Tuples",
                units=TIME_UNITS,
                suggestion=f" {part} is a length of time.",
            )
        if length.unit == BARE and needs_unit:
            raise refusal(
                "CSQL_UNIT_MISSING",
                length.first,
                length.last,
                length=str(length.value),
                part=part,
                units=TIME_UNITS,
            )
        return length

    def once(self, seen: bool, clause: str, first: Token) -> None:
        """Refuses a clause that was read already."""
        if seen:
            self.cursor.fail_since(first, "CSQL_CLAUSE_DOUBLED", part=clause)

    def closing(self) -> int:
        """The token behind the parenthesis that closes the one at the cursor."""
        cursor, depth, k = self.cursor, 0, self.cursor.index
        while True:
            if k >= cursor.end:
                cursor.index = cursor.end
                raise self.expected("')'")
            depth += {"LEFT_PAREN": 1, "RIGHT_PAREN": -1}.get(cursor.tokens.kind(k), 0)
            k += 1
            if depth <= 0:
                return k

    def embedded(self, until: int) -> None:
        """Moves to a token; what lies before it is Spark's to parse."""
        if until <= self.cursor.index:
            raise self.expected("something")
        self.cursor.index = until

    def options(self) -> None:
        """``(key = value, …)``."""
        if self.cursor.kind() != "LEFT_PAREN":
            raise self.expected("'('")
        self.embedded(self.closing())

    def query(self) -> None:
        """The rest of the statement, a query that may hold anything of ours."""
        cursor = self.cursor
        if cursor.done:
            raise self.expected("a query")
        start, cursor.index = cursor.index, cursor.end
        self.check_query(start, cursor.end)
