"""The clauses in brackets: what they say, read from their tokens (semantics §2, §3)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from typing import Any

from tests.oracle.errors import NotCovered, Refused
from tests.oracle.tokens import Token
from tests.values import timestamp

SECOND = 1_000_000
UNITS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": SECOND,
    "MINUTE": 60 * SECOND,
    "HOUR": 3600 * SECOND,
    "DAY": 86400 * SECOND,
}
TUPLES = ("TUPLE", "ROW")
WINDOWS = ("RANGE", "ROWS", "NOW", "LANDMARK", "BAND", "TUMBLE")
PARTS = (*WINDOWS, "FREQUENCY", "SLIDE", "PARTITION", "PARTITIONED", "LAG", "ORIGIN", "ON")
BIGGEST = 2**63 - 1


@dataclass(frozen=True)
class Length:
    """n tuples, n time units, or a bare number (on integer time)."""

    n: int
    unit: str  # "TUPLE", a key of UNITS, or "" for a bare number
    position: tuple[int, int]

    @property
    def by_tuples(self) -> bool:
        return self.unit == "TUPLE"


@dataclass(frozen=True)
class Window:
    kind: str  # tuples, time, now, unbounded, fixed (landmark and band)
    length: Length | None = None
    lag: Length | None = None
    start: Any = None  # fixed: from and until, as literals of the time type
    until: Any = None
    partition_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frequency:
    length: Length
    partition_by: tuple[str, ...] = ()
    origin: Any = None


@dataclass(frozen=True)
class Clause:
    position: tuple[int, int]
    window: Window | None = None
    frequency: Frequency | None = None
    on: str | None = None

    @property
    def jumping(self) -> bool:
        """A window with a frequency other than 1 tuple."""
        length = self.frequency.length if self.frequency else None
        return self.window is not None and length is not None and not (length.by_tuples and length.n == 1)


def refuse(kind: str, message: str, token: Token) -> Refused:
    return Refused(f"CSQL_{kind}", message, token.position)


@dataclass
class Parser:
    """Reads the tokens between [ and ]; `opening` and `closing` are the brackets themselves."""

    tokens: list[Token]
    opening: Token
    closing: Token
    at: int = 0
    seen: dict[str, Token] = field(default_factory=dict)
    window: Window | None = None
    frequency: Frequency | None = None
    on: str | None = None
    partition: str = ""  # what a Partitioned By now would partition

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else self.closing

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def parse(self) -> Clause:
        leading: tuple[str, ...] = ()
        lag: Length | None = None
        origin: Any = None
        while self.peek() is not self.closing:
            token = self.take()
            if token.text == ",":
                continue
            word = token.word
            if word not in PARTS:
                raise refuse("CLAUSE_CONTRADICTORY", f"{token.text} is no part of a clause", token)
            part = {"SLIDE": "FREQUENCY"}.get(word, word)
            self.once(part, token)
            if part in WINDOWS:
                self.window_part(part, token)
            elif part == "FREQUENCY":
                self.frequency = Frequency(self.length(token))
                self.partition = "frequency"
            elif part in ("PARTITION", "PARTITIONED"):
                leading = self.partitioned(leading)
            elif part == "LAG":
                lag = self.length(token)
            elif part == "ORIGIN":
                origin = self.literal()
            else:
                self.on = self.take().name
        return self.finish(leading, lag, origin)

    def once(self, part: str, token: Token) -> None:
        if part in self.seen and part not in ("PARTITION", "PARTITIONED"):
            same = self.seen[part].text.upper() == token.text.upper()
            kind = "CLAUSE_DOUBLED" if same else "CLAUSE_CONTRADICTORY"
            raise refuse(kind, f"{token.text} twice", token)
        others = [w for w in WINDOWS if w in self.seen]
        if part in WINDOWS and others:
            raise refuse("CLAUSE_CONTRADICTORY", f"{others[0]} and {part} together", token)
        if {part, *self.seen} >= {"TUMBLE", "FREQUENCY"}:
            raise refuse("CLAUSE_CONTRADICTORY", "Tumble has its own frequency", token)
        self.seen[part] = token

    def window_part(self, part: str, token: Token) -> None:
        self.partition = "window"
        if part == "NOW":
            self.window = Window("now")
        elif part == "LANDMARK":
            bound = self.take()
            if bound.word not in ("FROM", "UNTIL"):
                raise refuse("LENGTH_MISSING", "Landmark From or Until", bound)
            literal = self.literal()
            self.window = (
                Window("fixed", start=literal) if bound.word == "FROM" else Window("fixed", until=literal)
            )
        elif part == "BAND":
            self.expect("FROM")
            start = self.literal()
            bound = self.expect("UNTIL")
            until = self.literal()
            if until < start:
                raise refuse("CLAUSE_CONTRADICTORY", "Until before From", bound)
            self.window = Window("fixed", start=start, until=until)
        elif part in ("RANGE", "ROWS") and self.peek().word == "UNBOUNDED":
            self.take()
            self.window = Window("unbounded")
        else:
            length = self.length(token, rows=part == "ROWS")
            self.window = Window("tuples" if length.by_tuples else "time", length)
            if part == "TUMBLE":
                self.frequency = Frequency(length)
                self.partition = "frequency"

    def expect(self, word: str) -> Token:
        token = self.take()
        if token.word != word:
            raise refuse("LENGTH_MISSING", f"{word} expected", token)
        return token

    def length(self, keyword: Token, rows: bool = False) -> Length:
        number = self.take()
        if number.text in ("-", "+"):
            raise refuse("LENGTH_NOT_POSITIVE", "a signed length", number)
        if number.text in ("?", ":"):
            raise NotCovered("parameter markers")
        if number.kind != "number":
            raise refuse("LENGTH_MISSING", f"{keyword.text} needs a length", number)
        if not number.text.isdigit():
            raise refuse("LENGTH_FRACTIONAL", f"{number.text} is no whole number", number)
        if int(number.text) == 0:
            raise refuse("LENGTH_NOT_POSITIVE", "a length of nothing", number)
        n = int(number.text)
        unit = "TUPLE" if rows else self.unit()
        if n * UNITS.get(unit, 1) > BIGGEST:
            raise refuse("LENGTH_OVERFLOW", f"{number.text} is too long", number)
        return Length(n, unit, number.position)

    def unit(self) -> str:
        token = self.peek()
        if not token.word or (token.word in PARTS and token.word not in ("ROWS",)):
            return ""
        if token.word == "ROWS" and self.peek(1).kind == "number":
            return ""  # the next part, Rows n
        self.take()
        unit = token.word.removesuffix("S")
        if unit in TUPLES:
            return "TUPLE"
        if unit not in UNITS:
            raise refuse("UNIT_UNKNOWN", token.text, token)
        return unit

    def literal(self) -> Any:
        token = self.take()
        if token.kind == "number":
            return int(token.text)
        if token.text == "-":
            return -int(self.take().text)
        text = self.take().text[1:-1]
        if token.word in ("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"):
            return timestamp(text)
        if token.word == "DATE":
            return dt.date.fromisoformat(text)
        raise refuse("LENGTH_MISSING", "a literal expected", token)

    def partitioned(self, leading: tuple[str, ...]) -> tuple[str, ...]:
        """The columns go to the part before them, or, when none stands there, to the window that follows."""
        self.expect("BY")
        names = [self.column()]
        while self.peek().text == "," and self.peek(1).word not in PARTS:
            self.take()
            names.append(self.column())
        if self.partition == "window" and self.window and not self.window.partition_by:
            self.window = replace(self.window, partition_by=tuple(names))
        elif self.partition == "frequency" and self.frequency and not self.frequency.partition_by:
            self.frequency = replace(self.frequency, partition_by=tuple(names))
        elif not self.partition and not leading:
            return tuple(names)
        else:
            raise refuse("CLAUSE_DOUBLED", "Partitioned By twice", self.seen.get("PARTITION") or self.opening)
        return leading

    def column(self) -> str:
        name = self.take().name
        while self.peek().text == ".":
            self.take()
            name = self.take().name  # the alias before the dot is the clause's own item
        return name

    def finish(self, leading: tuple[str, ...], lag: Length | None, origin: Any) -> Clause:
        if leading:
            if self.window is None or self.window.partition_by:
                raise refuse("CLAUSE_CONTRADICTORY", "Partition By belongs to a window", self.opening)
            self.window = replace(self.window, partition_by=leading)
        if lag is not None:
            if self.window is None:
                raise refuse("CLAUSE_INCOMPLETE", "Lag needs a window", self.seen["LAG"])
            if self.window.length is None:
                raise refuse("CLAUSE_CONTRADICTORY", "Lag needs a Range of some length", self.seen["LAG"])
            if self.window.length.by_tuples != lag.by_tuples:
                raise Refused("CSQL_UNIT_MISMATCH", "Lag must have the kind of Range", lag.position)
            self.window = replace(self.window, lag=lag)
        if origin is not None:
            if self.frequency is None:
                raise refuse("CLAUSE_INCOMPLETE", "Origin needs a frequency", self.seen["ORIGIN"])
            if self.frequency.length.by_tuples:
                raise refuse(
                    "CLAUSE_CONTRADICTORY", "Origin belongs to a time frequency", self.seen["ORIGIN"]
                )
            self.frequency = replace(self.frequency, origin=origin)
        if self.window is None and self.frequency is None:
            raise refuse("LENGTH_MISSING", "neither a window nor a frequency", self.opening)
        return Clause(self.opening.position, self.window, self.frequency, self.on)
