"""Recognises the statements of the language by their first words."""

from __future__ import annotations

from dataclasses import dataclass

from spark_csql.parse.cursor import Cursor, Tokens

SYNTAX = {
    "CREATE STREAM": (
        "CREATE [OR REPLACE] [TEMPORARY] STREAM [IF NOT EXISTS] name [(col [Type], …)] "
        "[ORDER BY ts[, tie…]] [SLACK n unit] [LATE INTO name] "
        "{AS query | SOURCE 'uri' | USING format [OPTIONS (…)]}"
    ),
    "DROP STREAM": "DROP STREAM [IF EXISTS] name",
    "SHOW STREAMS": "SHOW STREAMS [LIKE 'pattern']",
    "DESCRIBE STREAM": "DESCRIBE STREAM name",
    "CREATE CONTINUOUS QUERY": (
        "CREATE CONTINUOUS QUERY [IF NOT EXISTS] name [INTO table] [TRIGGER n unit | AVAILABLE NOW] "
        "[CHECKPOINT 'path'] AS query"
    ),
    "DROP CONTINUOUS QUERY": "DROP CONTINUOUS QUERY [IF EXISTS] name",
    "SHOW CONTINUOUS QUERIES": "SHOW CONTINUOUS QUERIES [LIKE 'pattern']",
    "DESCRIBE CONTINUOUS QUERY": "DESCRIBE CONTINUOUS QUERY name",
    "STOP CONTINUOUS QUERY": "STOP CONTINUOUS QUERY name",
    "RESUME CONTINUOUS QUERY": "RESUME CONTINUOUS QUERY name",
    "CREATE AGGREGATE": (
        "CREATE [OR REPLACE] [TEMPORARY] [ALGEBRAIC] [WINDOW] AGGREGATE name(arg Type, …) : Type "
        "{ TABLE t(col Type, …); … INITIALIZE: {…} ITERATE: {…} TERMINATE: {…} EXPIRE: {…} }, "
        "or … : Type LANGUAGE {PYTHON | JVM} 'class'"
    ),
    "DROP AGGREGATE": "DROP [TEMPORARY] AGGREGATE [IF EXISTS] name",
    "SHOW AGGREGATES": "SHOW AGGREGATES [LIKE 'pattern']",
    "DESCRIBE AGGREGATE": "DESCRIBE AGGREGATE name",
}
_BEHIND = """
SEMICOLON BEGIN THEN ELSE DO LOOP REPEAT ATOMIC EXPLAIN EXTENDED FORMATTED CODEGEN COST
"""
_STARTS_BEHIND = frozenset(_BEHIND.split()) | {""}


@dataclass(frozen=True)
class Head:
    """A recognised statement: one of SYNTAX; its own words end before the token ``body``."""

    kind: str
    body: int
    replace: bool = False
    temporary: bool = False


def starts_behind(kind: str) -> bool:
    """Can a statement begin behind this token? In a script, and behind EXPLAIN, many do."""
    return kind in _STARTS_BEHIND


def find(tokens: Tokens, start: int) -> Head | None:
    """Our statement that begins at this token."""
    cursor = Cursor(tokens, start, len(tokens) - 1)
    word = cursor.word()
    if word == "CREATE":
        return _create(cursor)
    if word == "DROP" and cursor.take("DROP", "TEMPORARY", "AGGREGATE"):
        return Head("DROP AGGREGATE", cursor.index)
    if word == "SHOW" and cursor.word(2) == "FUNCTIONS":  # Spark's, whatever the scope is called
        return None
    if word in ("DESC", "DESCRIBE"):
        return _describe(cursor)
    for kind in SYNTAX:
        if kind.startswith(word + " ") and word and cursor.take(*kind.split()):
            return Head(kind, cursor.index)
    return None


def _create(cursor: Cursor) -> Head | None:
    cursor.advance()
    replace = cursor.take("OR", "REPLACE")
    temporary = cursor.take("TEMPORARY") or cursor.take("TEMP")
    if cursor.take("STREAM"):
        return Head("CREATE STREAM", cursor.index, replace)
    if not replace and not temporary and cursor.take("CONTINUOUS", "QUERY"):
        return Head("CREATE CONTINUOUS QUERY", cursor.index)
    early = cursor.take("WINDOW")
    cursor.take("ALGEBRAIC")
    if not early:
        cursor.take("WINDOW")
    return Head("CREATE AGGREGATE", cursor.index, replace, temporary) if cursor.take("AGGREGATE") else None


def _describe(cursor: Cursor) -> Head | None:
    """DESCRIBE stream s also describes the column s of a table ``stream``; that there is none is assumed."""
    plain = (cursor.word(2) == "PARTITION" and cursor.kind(3) == "LEFT_PAREN") or (
        cursor.word(2) == "AS" and cursor.word(3) == "JSON"
    )
    cursor.advance()
    if cursor.word() == "CONTINUOUS":
        named = cursor.is_name(2) and cursor.take("CONTINUOUS", "QUERY")
        return Head("DESCRIBE CONTINUOUS QUERY", cursor.index) if named else None
    if not plain and cursor.is_name(1):
        for word in ("STREAM", "AGGREGATE"):
            if cursor.take(word):
                return Head(f"DESCRIBE {word}", cursor.index)
    return None
