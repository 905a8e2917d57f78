"""Finds everything of ours among the tokens of a statement, in one pass.

The first fault is kept, not raised: what is wrong with the places of clauses is told only if nothing is wrong
inside of them, as the engine does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from spark_csql.parse import assembly, brackets, frames, heads, statements
from spark_csql.parse.clause import WINDOWS, ClauseReader, Part
from spark_csql.parse.cursor import Cursor, Tokens
from spark_csql.parse.lexer import END, Token
from spark_csql.parse.operators import STREAM_OPERATORS, around_query
from spark_csql.parse.places import Places, Slot
from spark_csql.parse.problem import Problem, Refused, refusal
from spark_csql.parse.relations import RelationContext
from spark_csql.parse.units import UNITS


@dataclass(frozen=True)
class Bracket:
    """A clause: the tokens ``first`` to ``last``, what they say, and where they stand."""

    parts: list[Part]
    first: int
    last: int
    slot: Slot | None

    @property
    def windowed(self) -> bool:
        return any(part.kind in WINDOWS or part.kind == "on" for part in self.parts)


@dataclass
class Findings:
    """What a text holds of ours.

    ``hidden`` are the indices of tokens that Spark does not know; ``certain`` if Spark alone could mean
    nothing by the text; ``doubtful`` if it is not clear where brackets stand; ``inner`` are queries inside of
    statements, each with the index of its first token; ``units`` are those of frames without INTERVAL.
    """

    tokens: Tokens
    brackets: list[Bracket] = field(default_factory=list)
    tails: list[frames.Tail] = field(default_factory=list)
    heads: list[tuple[heads.Head, int, int]] = field(default_factory=list)
    inner: list[tuple[int, Findings]] = field(
        default_factory=list
    )  # queries in statements, and their first token
    hidden: set[int] = field(default_factory=set)
    units: set[int] = field(default_factory=set)
    fault: Problem | None = None
    certain: bool = False
    doubtful: bool = False


def find(tokens: Tokens) -> Findings:
    """The tokens are the visible ones, the last of them EOF."""
    return _Finder(tokens).run()


class _Finder:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.pairs = brackets.pairs(tokens)
        self.context = RelationContext()
        self.places = Places()
        self.in_relation = False
        self.found = Findings(tokens)

    def run(self) -> Findings:
        k = 0
        while k < len(self.tokens):
            self.in_relation = self.context.in_relation
            self.context.next(self.tokens.kind(k))
            dealt_with = self.at(k)
            if dealt_with == k:
                self.places.next(self.tokens[k], self.tokens.kind(k + 1))
            k = dealt_with + 1
        self.found.doubtful = self.places.doubtful
        return self.found

    def at(self, k: int) -> int:
        """Looks at token k; returns the last token it has dealt with."""
        kind = self.tokens.kind(k)
        if kind == "LEFT_BRACKET":
            return self.bracket(k)
        if kind in ("PRECEDING", "FOLLOWING"):
            self.interval(k)
            return self.tail(k)
        if kind == "ROW":
            return self.tail(k)
        if kind == "LEFT_PAREN":
            self.operator(k)
        elif heads.starts_behind(self.tokens.kind(k - 1)):
            return self.statement(k)
        elif frames.lacks_frame(self.tokens, k):
            self.found.certain = True
            self.reading(lambda: self.refuse_without_frame(k))
        return k

    def statement(self, k: int) -> int:
        head = heads.find(self.tokens, k)
        if head is None:
            return k
        end = self.statement_end(k)
        self.found.certain = True
        cursor = Cursor(self.tokens, head.body, end)
        self.reading(lambda: statements.read(head, cursor, self.check_query))
        self.found.heads.append((head, k, end))
        self.found.hidden.update(range(k, end))
        return end - 1

    def check_query(self, start: int, end: int) -> None:
        """A query inside a statement, as a text of its own."""
        last = self.tokens[end]
        eof = Token(END, "", last.start, last.start, last.line, last.position)
        inner = find(Tokens([*(self.tokens[i] for i in range(start, end)), eof]))
        self.found.inner.append((start, inner))
        if inner.fault:
            raise Refused(inner.fault)

    def statement_end(self, start: int) -> int:
        """The semicolon or the end of the text; aggregates have semicolons inside their braces."""
        depth, k = 0, start
        while k < len(self.tokens) - 1 and (depth > 0 or self.tokens.kind(k) != "SEMICOLON"):
            if self.tokens.kind(k) == "UNRECOGNIZED":
                depth += {"{": 1, "}": -1}.get(self.tokens[k].text, 0)
            k += 1
        return k

    def bracket(self, opening: int) -> int:
        if not brackets.like_clause(self.tokens, opening, self.in_relation):
            return opening
        closing = self.pairs.get(opening)
        if closing is None:
            self.found.certain = True
            self.reading(lambda: self.refuse_unclosed(opening))
            return opening
        self.found.certain = self.found.certain or not brackets.ambiguous(self.tokens, opening)
        self.reading(lambda: self.clause(opening, closing))
        self.found.hidden.update(range(opening, closing + 1))
        return closing

    def clause(self, opening: int, closing: int) -> None:
        parts = ClauseReader(Cursor(self.tokens, opening + 1, closing)).read()
        assembly.check(parts)
        self.hide_neighbours(opening, closing)
        behind_another = opening - 1 in self.found.hidden and self.tokens.kind(opening - 1) == "RIGHT_BRACKET"
        slot = None if behind_another else self.places.slot(self.tokens, opening, closing)
        self.found.brackets.append(Bracket(parts, opening, closing, slot))

    def hide_neighbours(self, opening: int, closing: int) -> None:
        """An element of a SELECT list of its own takes one comma with it; of two names the first one goes."""
        tokens, hidden = self.tokens, self.found.hidden
        following = tokens.kind(closing + 1)
        if self.in_relation:
            if brackets.extra_name(tokens, opening):
                hidden.update(
                    (opening - 2, opening - 3) if tokens.kind(opening - 3) == "AS" else (opening - 2,)
                )
        elif following in brackets.ENDS_ELEMENT:
            if brackets.opens_select(tokens, opening - 1):
                if following != "COMMA":
                    raise refusal(
                        "CSQL_CLAUSE_INCOMPLETE",
                        tokens[opening],
                        tokens[closing],
                        part="The clause",
                        missing="something to sample",
                        hint="Write at least one column into the SELECT list, "
                        "as in SELECT a [Frequency 10 Tuples] FROM s.",
                    )
                hidden.add(closing + 1)
            elif tokens.kind(opening - 1) == "COMMA":
                hidden.add(opening - 1)
                self.places.forget_comma()

    def interval(self, bound: int) -> None:
        """``RANGE 1 HOUR PRECEDING``, where Spark wants the word INTERVAL."""
        tokens = self.tokens
        cursor = Cursor(tokens, bound - 2, bound)
        marked = cursor.is_marker(-1) and tokens.kind(bound - 3) == "COLON"
        number = bound - 3 if marked else bound - 2
        is_number = marked or cursor.is_marker() or tokens.kind(number) == "INTEGER_VALUE"
        start, unit = tokens.kind(number - 1), tokens.word(bound - 1)
        is_frame = start == "RANGE" or (start in ("BETWEEN", "AND") and unit in UNITS)
        if is_number and is_frame and unit:
            self.found.certain = True
            self.found.units.add(bound - 1)
            self.reading(lambda: frames.check_unit(Cursor(tokens, bound - 1, bound)))
            if tokens.kind(number) == "INTEGER_VALUE":
                self.reading(lambda: frames.check_length(Cursor(tokens, number, bound)))

    def tail(self, bound: int) -> int:
        end = frames.tail_end(self.tokens, bound + 1)
        if end < 0:
            return bound
        tail = frames.Tail(None, bound + 1, end - 1)
        if frames.frame_start(self.tokens, tail) is None:
            return bound  # not behind a frame: a name of Spark's
        self.found.certain = True
        self.reading(lambda: self.add_tail(bound + 1, end))
        self.found.hidden.update(range(bound + 1, end))
        return end - 1

    def add_tail(self, start: int, end: int) -> None:
        slide = frames.read_tail(Cursor(self.tokens, start, end))
        self.found.tails.append(frames.Tail(slide, start, end - 1))

    def operator(self, opening: int) -> None:
        word = self.tokens.word(opening - 1)
        if word in STREAM_OPERATORS and around_query(self.tokens, opening, self.in_relation):
            self.found.certain = self.found.certain or opening == 1
            self.found.hidden.add(opening - 1)

    def refuse_unclosed(self, opening: int) -> None:
        Cursor(self.tokens, opening, len(self.tokens)).fail(
            "CSQL_CLAUSE_INCOMPLETE",
            part="The clause",
            missing="a closing bracket",
            hint="Write ']' behind its last word.",
        )

    def refuse_without_frame(self, k: int) -> None:
        cursor = Cursor(self.tokens, k, len(self.tokens))
        cursor.fail(
            "CSQL_CLAUSE_INCOMPLETE",
            part=frames.ACTIVE if cursor.word() == "ACTIVE" else cursor.word(),
            missing="a frame in front of it",
            hint="Write ROWS n PRECEDING or RANGE n unit PRECEDING first.",
        )

    def reading(self, read: Callable[[], None]) -> None:
        if self.found.fault is None:
            try:
                read()
            except Refused as refused:
                self.found.fault = refused.problem
