"""Columns that clauses name, against the columns that relations have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spark_csql.parse.clause import ColumnName
from spark_csql.parse.cursor import Tokens, is_word_like
from spark_csql.parse.finder import Bracket, Findings
from spark_csql.parse.problem import refusal

Schema = Mapping[str, Mapping[str, str]]
"""Columns and their types by the names of relations, ``{"Pulse": {"Id": "INT", "ts": "TIMESTAMP"}}``."""


def check_columns(found: Findings, schema: Schema) -> None:
    """Refuses a column behind On or Partition By that its relation, if the schema knows it, does not have."""
    for _, inner in found.inner:
        check_columns(inner, schema)
    known = {name.lower(): columns for name, columns in schema.items()}
    shadowed = _common_tables(found.tokens)
    for bracket in found.brackets:
        names = _relation(found.tokens, bracket)
        if not names or names[0] in shadowed or names[0] not in known:
            continue
        columns = {column.lower() for column in known[names[0]]}
        for column in _columns_of(bracket):
            *qualifier, last = (part.lower() for part in column.parts)
            judged = not qualifier or (len(qualifier) == 1 and qualifier[0] in names)
            if judged and last not in columns:
                raise refusal(
                    "CSQL_COLUMN_NOT_FOUND",
                    column.first,
                    column.last,
                    name=".".join(column.parts),
                    suggestions=", ".join(known[names[0]]),
                )


def _columns_of(bracket: Bracket) -> Iterator[ColumnName]:
    for part in bracket.parts:
        if part.column:
            yield part.column
        if part.by:
            yield from part.by.columns


def _relation(tokens: Tokens, bracket: Bracket) -> list[str]:
    """The name of the relation before the bracket, and its alias; nothing for a subquery."""
    if bracket.slot is None or bracket.slot.section != "from":
        return []
    words: list[str] = []
    k = bracket.first - 1
    while tokens.kind(k) not in ("FROM", "JOIN", "COMMA", "STREAM"):
        if tokens.kind(k) == "DOT" or not (_is_name(tokens, k) or tokens.kind(k) == "AS"):
            return []
        if tokens.kind(k) != "AS":
            words.insert(0, tokens[k].text.strip("`").lower())
        k -= 1
    return words


def _is_name(tokens: Tokens, k: int) -> bool:
    return is_word_like(tokens.kind(k), tokens.word(k)) or tokens.kind(k) == "BACKQUOTED_IDENTIFIER"


def _common_tables(tokens: Tokens) -> set[str]:
    """Names that a WITH may have given to queries: anything before AS and a parenthesis."""
    first = next((k for k in range(len(tokens)) if tokens.kind(k) == "WITH"), len(tokens))
    return {
        tokens[k].text.strip("`").lower()
        for k in range(first, len(tokens))
        if tokens.kind(k + 1) in ("AS", "LEFT_PAREN")
    }
