"""Reads .slt files: streams and tables, the events that feed them, queries and their answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from spark_csql.cli.failures import Failure

_VALUE = re.compile(
    r"\s*('(?:[^']|'')*'|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?=\s|$)|\[[^\]]*\]|\S+)"
)
_DECLARATION = re.compile(
    r"(\w+)\s*(?:\((.*)\))?\s*(?:order\s+by\s+(.*?))?(\s+as)?\s*(?:#.*)?", re.IGNORECASE
)

Values = list[str | None]


@dataclass
class Relation:
    """``schema`` is set for what is fed, ``query`` for what is derived."""

    kind: str  # stream, table or view
    name: str
    schema: str | None
    order_by: str | None
    query: str | None


@dataclass
class Query:
    name: str
    sql: str
    parameters: dict[str, int]
    settings: dict[str, str]
    answer: list[Values] | None  # None if the file has none
    ordered: bool


@dataclass
class Scenario:
    """``events`` are the rows in the order of their arrival: name of the relation, values."""

    relations: list[Relation] = field(default_factory=list)
    aggregates: list[str] = field(default_factory=list)
    events: list[tuple[str, Values]] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)


def read(text: str, name: str) -> Scenario:
    """The scenario in ``text``; ``name`` is for messages."""
    reader = _Reader(name)
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip() and not (line.startswith("#") and not lines):
            lines.append(line)
        elif lines and not line.strip():
            reader.block(lines, number - len(lines))
            lines = []
    return reader.scenario


def values(line: str) -> Values:
    """The values of a line, parted by blanks: text without its quotes, None for NULL."""
    return [_value(token) for token in _VALUE.findall(line.strip())]


def _value(token: str) -> str | None:
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    return None if token == "NULL" else token


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.scenario = Scenario()
        self.settings: dict[str, str] = {}
        self.line = 0

    def fail(self, what: str) -> Failure:
        return Failure(f"{self.name}, line {self.line}: {what}.")

    def block(self, lines: list[str], number: int) -> None:
        self.line = number
        word, _, rest = lines[0].strip().partition(" ")
        body = [line for line in lines[1:] if not line.startswith("#")]
        if word in ("stream", "table", "view"):
            self.relation(word, rest, body)
        elif word == "aggregate":
            self.scenario.aggregates.append("\n".join(body))
        elif word == "feed":
            self.feed(rest.strip(), body)
        elif word == "query":
            self.query(rest.split(), body)
        elif word == "set":
            key, _, value = rest.partition("=")
            self.settings[key.strip()] = value.strip()
        elif word == "reset":
            self.settings.pop(rest.strip(), None)
        elif word != "error":
            raise self.fail(f"'{word}' begins no block; see the blocks of .slt files in the documentation")

    def relation(self, kind: str, rest: str, body: list[str]) -> None:
        found = _DECLARATION.fullmatch(rest.strip())
        if not found or bool(found[2]) == bool(found[4]) or bool(found[4]) != bool(body):
            raise self.fail(f"write '{kind} name (column TYPE, …)', or '{kind} name as' and a query below")
        query = "\n".join(body) if found[4] else None
        self.scenario.relations.append(Relation(kind, found[1], found[2], found[3], query))

    def feed(self, name: str, body: list[str]) -> None:
        fed = [r for r in self.scenario.relations if r.name.lower() == name.lower() and r.schema]
        if not fed:
            raise self.fail(f"nothing called {name} can be fed")
        self.scenario.events.extend((fed[0].name, values(line)) for line in body)

    def query(self, words: list[str], body: list[str]) -> None:
        if not words or not body:
            raise self.fail("a query is written 'query name' and a statement below")
        cut = next((i for i, line in enumerate(body) if line.strip() == "----"), None)
        parameters = {}
        for word in words[1:]:
            key, equals, value = word.partition("=")
            if equals and value.lstrip("-").isdigit():
                parameters[key] = int(value)
            elif word != "unordered":
                raise self.fail(f"'{word}' is no parameter: write name=number")
        answer = None if cut is None else [values(line) for line in body[cut + 1 :]]
        sql = "\n".join(body[:cut])
        ordered = "unordered" not in words[1:]
        self.scenario.queries.append(Query(words[0], sql, parameters, dict(self.settings), answer, ordered))
