"""Tells our brackets from Spark's subscripts, by looking a few tokens ahead."""

from __future__ import annotations

from spark_csql.parse.clause import PART_WORDS
from spark_csql.parse.cursor import Tokens, is_word_like
from spark_csql.parse.lexer import END, NUMBERS

_OPERATOR_WORDS = frozenset(("DIV", "COLLATE"))
_ENDS = """
COMMA FROM RIGHT_PAREN SEMICOLON OPERATOR_PIPE WHERE GROUP HAVING ORDER LIMIT UNION EXCEPT INTERSECT LATERAL
"""
ENDS_ELEMENT = frozenset(_ENDS.split()) | {END}
"""Tokens behind which the rest of a SELECT list cannot go on."""
_CONSTANTS = NUMBERS | {"COMMA", "QUESTION", "IDENTIFIER", "STRING_LITERAL", "BACKQUOTED_IDENTIFIER"}


def pairs(tokens: Tokens) -> dict[int, int]:
    """Which ``]`` closes which ``[``."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for k in range(len(tokens)):
        if tokens.kind(k) == "LEFT_BRACKET":
            opened.append(k)
        elif tokens.kind(k) == "RIGHT_BRACKET" and opened:
            found[opened.pop()] = k
    return found


def like_clause(tokens: Tokens, opening: int, in_relation: bool) -> bool:
    """Whether the bracket is ours, well formed or not."""
    return tokens.word(opening + 1) in PART_WORDS and (in_relation or not ambiguous(tokens, opening))


def ambiguous(tokens: Tokens, opening: int) -> bool:
    """Whether Spark could read the content as an expression: ``[now]``, ``[rows + 1]``, ``[range(1)]``."""
    following = opening + 2
    kind = tokens.kind(following)
    if kind == "COLON":
        return _continues_expression(tokens, following + 2)
    if kind == "MINUS":
        return not _ends_length(tokens, following + 2)
    return _continues_expression(tokens, following)


def _continues_expression(tokens: Tokens, index: int) -> bool:
    word = tokens.word(index)
    return word in _OPERATOR_WORDS if word else tokens.kind(index) not in _CONSTANTS


def _ends_length(tokens: Tokens, index: int) -> bool:
    """Behind a negative number: a unit, a comma or another part, which no expression can have there."""
    word = tokens.word(index)
    return tokens.kind(index - 1) in NUMBERS and (
        tokens.kind(index) == "COMMA" or (bool(word) and word not in _OPERATOR_WORDS)
    )


def opens_select(tokens: Tokens, index: int) -> bool:
    """Whether the next token is the first of a SELECT list."""
    kind = tokens.kind(index)
    return kind in ("SELECT", "HENT_END") or (kind in ("DISTINCT", "ALL") and opens_select(tokens, index - 1))


def extra_name(tokens: Tokens, opening: int) -> bool:
    """Whether two names stand before it, ``(SELECT …) AS PulseRate PR [``: the second one is the alias."""

    def plain_name(index: int) -> bool:
        return tokens.kind(index) in ("IDENTIFIER", "BACKQUOTED_IDENTIFIER")

    start = opening - 3 if tokens.kind(opening - 3) == "AS" else opening - 2
    is_alias = plain_name(opening - 1) or is_word_like(tokens.kind(opening - 1), tokens.word(opening - 1))
    return is_alias and plain_name(opening - 2) and tokens.kind(start - 1) == "RIGHT_PAREN"
