"""Would the engine accept this text? Told without Java, for our own clauses and statements."""

from __future__ import annotations

from spark_csql.parse.checks import first_problem
from spark_csql.parse.columns import Schema
from spark_csql.parse.lexer import END, Token, lex
from spark_csql.parse.problem import Problem
from spark_csql.parse.script import cut


def validate(text: str, schema: Schema | None = None) -> list[Problem]:
    """What is wrong with the clauses and statements of ours in ``text``: the first problem of each statement.

    Verdict, error class and position are those of the engine. What belongs to Spark alone is never refused,
    so an empty list does not promise that Spark accepts the rest.

    With ``schema``, the columns of relations as in ``{"Pulse": {"Id": "INT", "ts": "TIMESTAMP"}}``, columns
    that a clause behind such a relation names are looked up too.
    """
    tokens = lex(text)
    found = []
    for run in cut(tokens):
        visible = [token for token in run if token.visible]
        if visible:
            problem = first_problem([*visible, _end(tokens, run[-1])], schema)
            if problem:
                found.append(problem)
    return found


def _end(tokens: list[Token], last: Token) -> Token:
    """The end of a statement: the token behind its last one, as EOF."""
    behind = next(token for token in tokens if token.start >= last.stop)
    return Token(END, "", behind.start, behind.start, behind.line, behind.position)
