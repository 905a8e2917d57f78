"""Tells ISTREAM around a query from a function, a table or a CTE of that name."""

from __future__ import annotations

from spark_csql.parse.cursor import Tokens

STREAM_OPERATORS = ("ISTREAM", "DSTREAM", "RSTREAM")
_QUERY_STARTS = ("SELECT", "WITH", "FROM")
_AFTER_NAME = ("RIGHT_PAREN", "COMMA", "DOT")
_NAMES_FOLLOW = "INTO TABLE OVERWRITE WITH RECURSIVE DOT COLON USING VIEW EXISTS"
_BEFORE_NAME = frozenset(_NAMES_FOLLOW.split())
_QUERIES_FOLLOW = "LEFT_PAREN AS UNION EXCEPT SETMINUS INTERSECT ALL SEMICOLON FROM JOIN"
_BEFORE_QUERY = frozenset(_QUERIES_FOLLOW.split())


def around_query(tokens: Tokens, opening: int, in_relation: bool) -> bool:
    """``opening`` is the parenthesis behind the operator's name."""
    before = tokens.kind(opening - 2)
    named = before in _BEFORE_NAME or (before == "COMMA" and not in_relation)
    first = opening + 1
    while tokens.kind(first) == "LEFT_PAREN":
        first += 1
    return (
        not named
        and tokens.kind(first) in _QUERY_STARTS
        and tokens.kind(first + 1) not in _AFTER_NAME
        and (first == opening + 1 or opening == 1 or before in _BEFORE_QUERY)
    )
