"""Would the engine accept this text? Told without Java, for our own clauses and statements."""

from __future__ import annotations

from bisect import bisect_left

from spark_csql.parse.checks import problem_of
from spark_csql.parse.columns import Schema
from spark_csql.parse.cursor import Tokens
from spark_csql.parse.finder import find
from spark_csql.parse.lexer import END, Token, lex
from spark_csql.parse.problem import Problem
from spark_csql.parse.script import cut, is_raw


def validate(text: str, schema: Schema | None = None) -> list[Problem]:
    """What is wrong with the clauses and statements of ours in ``text``: the first problem of each statement.

    Verdict, error class and position are those of the engine. What belongs to Spark alone is never refused,
    so an empty list does not promise that Spark accepts the rest.

    With ``schema``, the columns of relations as in ``{"Pulse": {"Id": "INT", "ts": "TIMESTAMP"}}``, the
    columns that clauses and queries name are looked up too, where all relations in reach are known.
    """
    lookup = None
    if schema:
        from spark_csql.lookup import Lookup  # takes sqlglot along

        lookup = Lookup(schema)
    tokens = lex(text)
    starts = [token.start for token in tokens]
    problems = []
    for run in cut(tokens):
        visible = [token for token in run if token.visible]
        if not visible or is_raw(visible):
            continue
        found = find(Tokens([*visible, _end(tokens, starts, run[-1])]))
        problem = problem_of(found)
        if lookup:
            problem = problem or lookup.problem_of(found)
            lookup.after(visible)
        if problem:
            problems.append(problem)
    return problems


def _end(tokens: list[Token], starts: list[int], last: Token) -> Token:
    """The end of a statement: the token behind its last one, as EOF."""
    behind = tokens[bisect_left(starts, last.stop)]
    return Token(END, "", behind.start, behind.start, behind.line, behind.position)
