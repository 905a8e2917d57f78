"""Reads CREATE STREAM behind its first words; its clauses may come in any order."""

from __future__ import annotations

from spark_csql.parse.cursor import Cursor
from spark_csql.parse.heads import Head
from spark_csql.parse.lexer import Token
from spark_csql.parse.problem import refusal
from spark_csql.parse.statement import StatementCursor

_CLAUSES = frozenset(("ORDER", "SLACK", "LATE", "SOURCE", "USING", "AS"))
_ORIGIN = "The origin of the rows (AS, SOURCE or USING)"


class CreateStreamReader:
    def __init__(self, statement: StatementCursor, head: Head) -> None:
        self.statement = statement
        self.cursor = statement.cursor
        self.head = head
        self.seen: set[str] = set()
        self.body = ""
        self.column_list: Token | None = None
        self.typed = False

    def read(self) -> None:
        cursor, first = self.cursor, self.cursor.current
        if cursor.take("IF", "NOT", "EXISTS") and self.head.replace:
            cursor.fail_since(
                first,
                "CSQL_CLAUSE_CONTRADICTORY",
                part="IF NOT EXISTS",
                other="OR REPLACE",
                hint="Keep one of them.",
            )
        self.statement.name("the name of the stream")
        if cursor.kind() == "LEFT_PAREN":
            self.columns()
        while not cursor.done:
            self.clause()
        if not self.body:
            raise self.statement.expected("AS query, SOURCE 'uri' or USING format")
        self.check_columns()

    def columns(self) -> None:
        """Names alone, or names with types."""
        cursor, statement = self.cursor, self.statement
        self.column_list = cursor.current
        close = statement.closing()
        cursor.advance()
        if cursor.is_name() and cursor.kind(1) in ("COMMA", "RIGHT_PAREN"):
            statement.names("a column")
        else:
            self.typed = True
            statement.embedded(close - 1)
        if not cursor.take_kind("RIGHT_PAREN"):
            raise statement.expected("',' or ')'")

    def clause(self) -> None:
        statement, cursor, first = self.statement, self.cursor, self.cursor.current
        if cursor.take("ORDER", "BY"):
            statement.names("a column")
            self.once("ORDER BY", first)
        elif cursor.take("SLACK"):
            statement.time_length("SLACK", 0, False, self.starts_clause)
            self.once("SLACK", first)
        elif cursor.take("LATE", "INTO"):
            statement.name("the name of a stream for late rows")
            self.once("LATE INTO", first)
        elif cursor.take("SOURCE"):
            statement.string("a source in quotes")
            self.set_body("SOURCE", first)
        elif cursor.take("USING"):
            statement.name("a format")
            if cursor.take("OPTIONS"):
                statement.options()
            self.set_body("USING", first)
        elif cursor.take("AS"):
            statement.query()
            self.set_body("AS", first)
        else:
            raise statement.expected("ORDER BY, SLACK, LATE INTO, AS query, SOURCE 'uri' or USING format")

    def set_body(self, body: str, first: Token) -> None:
        self.once(_ORIGIN, first)
        self.body = body

    def once(self, clause: str, first: Token) -> None:
        self.statement.once(clause in self.seen, clause, first)
        self.seen.add(clause)

    def check_columns(self) -> None:
        if self.column_list is None:
            return
        if self.body == "AS" and self.typed:
            raise refusal(
                "CSQL_CLAUSE_CONTRADICTORY",
                self.column_list,
                self.column_list,
                part="A column list with types",
                other="AS query",
                hint="The query gives the types: write the names alone, as in (a, b), or CAST in the query.",
            )
        if self.body != "AS" and not self.typed:
            raise refusal(
                "CSQL_CLAUSE_INCOMPLETE",
                self.column_list,
                self.column_list,
                part="The column list of a SOURCE",
                missing="a type behind each name",
                hint="Write for example (id INT, ts TIMESTAMP).",
            )

    @staticmethod
    def starts_clause(cursor: Cursor) -> bool:
        return cursor.done or cursor.word() in _CLAUSES
