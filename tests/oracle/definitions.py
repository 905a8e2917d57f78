"""CREATE AGGREGATE: what it says, read from its tokens (semantics §9).

An aggregate that declares `inwindow` or has EXPIRE is a WINDOW version also without that word, as in 003 Example 18,
where the columns of `inwindow` stand without types too: they have those of the arguments. An `inwindow` that is not
declared has the arguments as its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.oracle.errors import Refused
from tests.oracle.storage import duck_type_of
from tests.oracle.tokens import Token, tokenize
from tests.slt import Column

SECTIONS = ("INITIALIZE", "ITERATE", "TERMINATE", "EXPIRE")
INWINDOW = "inwindow"
OPENING, CLOSING = ("(", "<", "{", "["), (")", ">", "}", "]")


@dataclass(frozen=True)
class Statement:
    section: str
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return " ".join(t.text for t in self.tokens)


@dataclass
class Definition:
    name: str
    position: tuple[int, int]
    arguments: list[Column]
    returns: str
    tables: dict[str, list[Column]] = field(default_factory=dict)  # by name in lower case
    sections: dict[str, list[Statement]] = field(default_factory=dict)
    window: bool = False
    algebraic: bool = False
    replace: bool = False
    temporary: bool = False

    @property
    def blocking(self) -> bool:
        return bool(self.sections.get("TERMINATE"))

    @property
    def first(self) -> str:
        """The section that the first tuple runs."""
        return "INITIALIZE" if "INITIALIZE" in self.sections else "ITERATE"


def is_definition(sql: str) -> bool:
    words = [t.word for t in tokenize(sql)[:6]]
    return words[:1] == ["CREATE"] and "AGGREGATE" in words


def is_drop(sql: str) -> bool:
    return [t.word for t in tokenize(sql)[:2]] == ["DROP", "AGGREGATE"]


def syntax(message: str, token: Token) -> Refused:
    return Refused("CSQL_STATEMENT_SYNTAX", message, token.position)


def parts(tokens: Sequence[Token], separator: str) -> list[list[Token]]:
    """The tokens between the separators that stand outside all brackets; nothing where nothing stands."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if separator != ";":  # no bracket holds one, and a < b has no bracket
            depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.text == separator and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return [part for part in found if part]


@dataclass
class Reader:
    tokens: list[Token]
    at: int = 0

    def peek(self) -> Token:
        return self.tokens[min(self.at, len(self.tokens) - 1)]

    def take(self, *expected: str) -> Token:
        token = self.peek()
        if self.at >= len(self.tokens) or (expected and token.text.upper() not in expected):
            raise syntax(f"found {token.text} where {' or '.join(expected)} is expected", token)
        self.at += 1
        return token

    def has(self, *words: str) -> bool:
        """Takes these words, if they are next."""
        found = [t.text.upper() for t in self.tokens[self.at : self.at + len(words)]]
        if found == list(words):
            self.at += len(words)
            return True
        return False

    def inside(self, opening: str, closing: str) -> list[Token]:
        """What stands between two brackets, which may hold such brackets."""
        self.take(opening)
        depth, start = 1, self.at
        while depth:
            text = self.take().text
            depth += (text == opening) - (text == closing)
        return self.tokens[start : self.at - 1]

    def definition(self) -> Definition:
        self.take("CREATE")
        replace = self.has("OR", "REPLACE")
        temporary = self.has("TEMPORARY") or self.has("TEMP")
        algebraic = self.has("ALGEBRAIC")
        window = self.has("WINDOW")
        self.take("AGGREGATE")
        name = self.take()
        if temporary and self.peek().text == ".":
            raise syntax("a TEMPORARY aggregate is in no database", name)
        arguments = [column(part) for part in different(parts(self.inside("(", ")"), ","))]
        self.take(":")
        start = self.at
        while self.peek().text != "{":
            self.take()
        returns = duck_type_of(" ".join(t.text for t in self.tokens[start : self.at]))
        made = Definition(name.name, name.position, arguments, returns)
        made.replace, made.temporary, made.algebraic = replace, temporary, algebraic
        body = Reader([*self.inside("{", "}"), self.tokens[self.at - 1]])
        body.body(made)
        made.window = window or INWINDOW in made.tables or "EXPIRE" in made.sections
        if made.window:
            made.tables.setdefault(INWINDOW, made.arguments)
        while self.at < len(self.tokens):
            self.take(";")
        return made

    def body(self, made: Definition) -> None:
        end = len(self.tokens) - 1
        while self.at < end:
            if self.has("TABLE"):
                self.table(made)
            elif not self.has(";"):
                self.section(made)

    def table(self, made: Definition) -> None:
        name = self.take()
        if name.name.lower() in made.tables:
            raise Refused("CSQL_CLAUSE_DOUBLED", f"the table {name.text} twice", name.position)
        given = different(parts(self.inside("(", ")"), ","))
        if name.name.lower() != INWINDOW:
            made.tables[name.name.lower()] = [column(part) for part in given]
            return
        types = [a.type for a in made.arguments]
        columns = [
            column(p) if len(p) > 1 else Column(p[0].name, t) for p, t in zip(given, types, strict=False)
        ]
        if len(given) != len(types) or [c.type for c in columns] != types:
            raise Refused("CSQL_AGGREGATE_TYPE", "inwindow has the types of the arguments", name.position)
        made.tables[INWINDOW] = columns

    def section(self, made: Definition) -> None:
        """One or several names with a colon, and the body that they share."""
        names = [self.take(*SECTIONS)]
        self.take(":")
        while self.peek().text != "{":
            names.append(self.take(*SECTIONS))
            self.take(":")
        statements = parts(self.inside("{", "}"), ";")
        if any(s[-1].word == "WHERE" for s in statements):
            raise syntax("a condition is expected", self.tokens[self.at - 1])
        for name in names:
            if name.word in made.sections:
                raise Refused("CSQL_CLAUSE_DOUBLED", f"{name.text} twice", name.position)
            made.sections[name.word] = [Statement(name.word, tuple(s)) for s in statements]


def different(columns: list[list[Token]]) -> list[list[Token]]:
    """The columns, if each has a name of its own."""
    if len({c[0].name.lower() for c in columns}) < len(columns):
        raise Refused("CSQL_CLAUSE_DOUBLED", "a column twice", columns[0][0].position)
    return columns


def column(tokens: Sequence[Token]) -> Column:
    if len(tokens) < 2:
        raise syntax("a name and a type are expected", tokens[0])
    return Column(tokens[0].name, duck_type_of(" ".join(t.text for t in tokens[1:])))


def read(sql: str) -> Definition:
    made = Reader(tokenize(sql)).definition()
    if "ITERATE" not in made.sections:
        raise Refused("CSQL_STATEMENT_SYNTAX", f"{made.name} has no ITERATE")
    return made
