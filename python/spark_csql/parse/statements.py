"""Reads the statements of the language; CREATE STREAM and CREATE AGGREGATE have their own files."""

from __future__ import annotations

from collections.abc import Callable

from spark_csql.parse.create_aggregate import read_create_aggregate
from spark_csql.parse.create_stream import CreateStreamReader
from spark_csql.parse.cursor import Cursor
from spark_csql.parse.heads import Head
from spark_csql.parse.lengths import Length
from spark_csql.parse.lexer import Token
from spark_csql.parse.problem import refusal
from spark_csql.parse.statement import StatementCursor

_QUERY_CLAUSES = frozenset(("INTO", "TRIGGER", "AVAILABLE", "CHECKPOINT", "AS"))


def read(head: Head, cursor: Cursor, check_query: Callable[[int, int], None]) -> None:
    """The cursor stands behind the statement's first words and ends with the statement."""
    statement = StatementCursor(cursor, head.kind, check_query)
    if head.kind == "CREATE STREAM":
        CreateStreamReader(statement, head).read()
    elif head.kind == "CREATE CONTINUOUS QUERY":
        _CreateQueryReader(statement).read()
    elif head.kind == "CREATE AGGREGATE":
        read_create_aggregate(statement, head.temporary)
    elif head.kind.startswith("SHOW"):
        if cursor.take("LIKE") or cursor.is_string():
            statement.string("a pattern in quotes")
    else:
        if head.kind.startswith("DROP"):
            cursor.take("IF", "EXISTS")
        statement.name("a name")
    statement.need_end()


class _CreateQueryReader:
    """Reads CREATE CONTINUOUS QUERY behind its first words; its clauses may come in any order."""

    def __init__(self, statement: StatementCursor) -> None:
        self.statement = statement
        self.cursor = statement.cursor
        self.seen: set[str] = set()

    def read(self) -> None:
        self.cursor.take("IF", "NOT", "EXISTS")
        self.statement.name("the name of the query")
        while not self.cursor.done and self.cursor.word() != "AS":
            self.clause()
        self.statement.need("AS")
        self.statement.query()

    def clause(self) -> None:
        statement, cursor, first = self.statement, self.cursor, self.cursor.current
        if cursor.take("INTO"):
            statement.name("a table")
            self.once("INTO", first)
        elif cursor.take("TRIGGER"):
            length = statement.time_length("TRIGGER", 1, True, self.starts_clause)
            _check_trigger(length)
            self.once("The trigger", first)
        elif cursor.take("AVAILABLE"):
            statement.need("NOW")
            self.once("The trigger", first)
        elif cursor.take("CHECKPOINT"):
            statement.string("a path in quotes")
            self.once("CHECKPOINT", first)
        else:
            raise statement.expected("INTO, TRIGGER, AVAILABLE NOW, CHECKPOINT or AS query")

    def once(self, clause: str, first: Token) -> None:
        self.statement.once(clause in self.seen, clause, first)
        self.seen.add(clause)

    @staticmethod
    def starts_clause(cursor: Cursor) -> bool:
        return cursor.done or cursor.word() in _QUERY_CLAUSES


def _check_trigger(length: Length) -> None:
    if length.unit.micros and length.value * length.unit.micros % 1000:
        raise refusal("CSQL_QUERY_TRIGGER", length.first, length.last)
