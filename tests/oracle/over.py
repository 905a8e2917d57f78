"""What stands between the parentheses of OVER, read from its tokens (semantics §8).

An OVER is *ours* when it holds SLIDE, ACTIVE EXPIRATION or a bare `n unit`. Others are ours too, when they have no
ORDER BY and stand over a stream, or call one of our aggregates: that is for the query to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tests.oracle.clauses import TUPLES, UNITS, Length, Parser, refuse
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.tokens import Token

PARTS = ("PARTITION", "DISTRIBUTE", "ORDER", "SORT", "ROWS", "RANGE", "SLIDE", "ACTIVE")
NOT_ACTIVE = ("BY", ".")  # before a column that has the name of a part


@dataclass(frozen=True)
class Spec:
    """The window of one call: `length` None is UNBOUNDED; the texts are SQL expressions."""

    partition_by: tuple[str, ...]
    order_by: tuple[str, ...]
    rows: bool
    length: Length | None
    slide: Length | None
    active: bool
    position: tuple[int, int]

    @property
    def tuples(self) -> int | None:
        """How many tuples a ROWS window holds: the current one and those before it."""
        return self.length.n + 1 if self.rows and self.length else None


@dataclass(frozen=True)
class Over:
    tokens: tuple[Token, ...]  # without the parentheses
    opening: Token
    closing: Token

    @property
    def text(self) -> str:
        return " ".join(t.text for t in self.tokens)

    @property
    def parts(self) -> dict[str, tuple[Token, tuple[Token, ...]]]:
        """Each part's keyword and the tokens after it, up to the next part."""
        found: dict[str, tuple[Token, tuple[Token, ...]]] = {}
        for start, end in self.borders():
            keyword = self.tokens[start]
            if keyword.word in found:
                raise refuse("CLAUSE_DOUBLED", f"{keyword.text} twice in one OVER", keyword)
            found[keyword.word] = keyword, self.tokens[start + 1 : end]
        return found

    def borders(self) -> Iterator[tuple[int, int]]:
        depth, starts = 0, []
        for i, token in enumerate(self.tokens):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.text, 0)
            before = self.tokens[i - 1] if i else self.opening
            named = before.word in NOT_ACTIVE or before.text in (",", ".")
            after = self.tokens[i + 1] if i + 1 < len(self.tokens) else self.closing
            begins = after.kind == "number" or after.word in ("UNBOUNDED", "BETWEEN", "CURRENT")
            unit = token.word == "ROWS" and before.kind == "number" and not begins
            if depth == 0 and token.word in PARTS and not named and not unit:
                starts.append(i)
        if self.tokens and starts[:1] != [0]:
            raise NotCovered(f"OVER ({self.text})")
        return zip(starts, [*starts[1:], len(self.tokens)], strict=False)

    @property
    def ordered(self) -> bool:
        return bool({"ORDER", "SORT"} & set(self.parts))

    @property
    def framed(self) -> bool:
        return bool({"ROWS", "RANGE"} & set(self.parts))

    @property
    def ours(self) -> bool:
        """Whether something stands here that plain SQL does not know."""
        parts = self.parts
        after_range = parts["RANGE"][1] if "RANGE" in parts else ()
        units = [
            token.word.removesuffix("S") in (*UNITS, *TUPLES) and number.kind == "number"
            for number, token in pairwise(after_range)
        ]
        interval = any(t.word == "INTERVAL" for t in after_range)
        return "SLIDE" in parts or "ACTIVE" in parts or (any(units) and not interval)

    def spec(self) -> Spec:
        """The window as the contract reads it; refuses what it does not allow."""
        parts = self.parts
        if "ROWS" in parts and "RANGE" in parts:
            raise refuse("CLAUSE_CONTRADICTORY", "ROWS and RANGE in one OVER", parts["RANGE"][0])
        if "SLIDE" in parts and "ACTIVE" in parts:
            raise refuse(
                "CLAUSE_CONTRADICTORY", "ACTIVE EXPIRATION stands in place of SLIDE", self.tokens[-1]
            )
        rows = "RANGE" not in parts
        for later in ("SLIDE", "ACTIVE"):
            if later in parts and not self.framed:
                raise refuse("CLAUSE_INCOMPLETE", f"{later} needs ROWS or RANGE", parts[later][0])
        frame = self.frame(*parts["ROWS" if rows else "RANGE"]) if self.framed else None
        slide = self.slide(*parts["SLIDE"], rows) if "SLIDE" in parts else None
        if "ACTIVE" in parts:
            self.check_active(*parts["ACTIVE"], rows, frame)
        return Spec(
            self.expressions("PARTITION") or self.expressions("DISTRIBUTE"),
            tuple(map(self.column, self.expressions("ORDER") or self.expressions("SORT"))),
            rows,
            frame,
            slide,
            "ACTIVE" in parts,
            self.opening.position,
        )

    def expressions(self, part: str) -> tuple[str, ...]:
        if part not in self.parts:
            return ()
        _, (by, *rest) = self.parts[part]
        if by.word != "BY":
            raise NotCovered(f"{part} without BY")
        found, depth = [[]], 0  # type: list[list[str]], int
        for token in rest:
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if token.text == "," and depth == 0:
                found.append([])
            else:
                found[-1].append(token.text)
        return tuple(" ".join(words) for words in found)

    def column(self, text: str) -> str:
        """A column of ORDER BY; a stream runs forwards only."""
        words = [word for word in text.split() if word.upper() != "ASC"]
        if len(words) > 1 and words[-2] == ".":
            words = words[-1:]
        if len(words) > 1:
            raise refuse("OVER_ORDER", f"a stream cannot be ordered by {text}", self.parts["ORDER"][0])
        return words[0].strip("`")

    def frame(self, keyword: Token, tokens: Sequence[Token]) -> Length | None:
        """The length of `n [unit] PRECEDING`, alone or as BETWEEN … AND CURRENT ROW; None: UNBOUNDED."""
        words = [t.word for t in tokens]
        if words[:1] == ["BETWEEN"]:
            if words[-3:] != ["AND", "CURRENT", "ROW"]:
                raise refuse("OVER_FRAME", "the frame ends at the current tuple", tokens[0])
            tokens, words = tokens[1:-3], words[1:-3]
        if words == ["CURRENT", "ROW"]:
            if keyword.word == "RANGE":
                raise NotCovered("RANGE CURRENT ROW")
            return Length(0, "TUPLE", keyword.position)
        if words[-1:] != ["PRECEDING"]:
            raise refuse("OVER_FRAME", "a frame is n PRECEDING or UNBOUNDED PRECEDING", keyword)
        if words == ["UNBOUNDED", "PRECEDING"]:
            return None
        length = self.length(keyword, tokens[:-1], tokens[-1])
        return self.by_rows(length) if keyword.word == "ROWS" else self.by_time(length)

    def slide(self, keyword: Token, tokens: Sequence[Token], rows: bool) -> Length:
        length = self.length(keyword, tokens, self.closing)
        if length.n == 0:
            raise refuse("LENGTH_NOT_POSITIVE", "a slide of nothing", tokens[0])
        return self.by_rows(length) if rows else self.by_time(length)

    def length(self, keyword: Token, tokens: Sequence[Token], end: Token) -> Length:
        """n [unit]; the current tuple alone, 0 PRECEDING, is a frame as in SQL."""
        given = [t for t in tokens if t.word != "INTERVAL"]
        if given and given[0].text == "0":
            unit = given[1].word.removesuffix("S") if given[1:] else ""
            return Length(0, "TUPLE" if unit in TUPLES else unit, given[0].position)
        parser = Parser(given, self.opening, Token("symbol", end.text, end.position))
        length = parser.length(keyword)
        if parser.at < len(given):
            raise NotCovered(f"OVER ({self.text})")
        return length

    def by_rows(self, length: Length) -> Length:
        if length.unit not in ("", "TUPLE"):
            raise Refused("CSQL_UNIT_MISMATCH", "ROWS and its SLIDE count tuples", length.position)
        return replace(length, unit="TUPLE")

    def by_time(self, length: Length) -> Length:
        if length.by_tuples:
            raise Refused("CSQL_UNIT_MISMATCH", "RANGE and its SLIDE are lengths of time", length.position)
        return length

    def check_active(self, keyword: Token, tokens: Sequence[Token], rows: bool, frame: Length | None) -> None:
        if [t.word for t in tokens] != ["EXPIRATION"]:
            raise refuse("CLAUSE_INCOMPLETE", "ACTIVE EXPIRATION", keyword)
        if rows or frame is None:
            raise refuse("CLAUSE_CONTRADICTORY", "only tuples of a RANGE n expire by themselves", keyword)
