"""Checks the structure of CREATE AGGREGATE behind its first words."""

from __future__ import annotations

from spark_csql.parse.problem import refusal
from spark_csql.parse.statement import StatementCursor

_SECTIONS = ("INITIALIZE", "ITERATE", "TERMINATE", "EXPIRE")
_VERBS = ("INSERT", "UPDATE", "DELETE", "SELECT")


def read_create_aggregate(statement: StatementCursor, temporary: bool) -> None:
    cursor = statement.cursor
    if temporary and cursor.is_name() and cursor.kind(1) == "DOT":
        raise statement.expected("the name of a TEMPORARY aggregate, without a database,")
    statement.name("the name of the aggregate")
    _columns(statement, "the arguments in parentheses")
    if not cursor.take_kind("COLON"):
        raise statement.expected("':' and the type of the result")
    _result_type(statement)
    if cursor.take("LANGUAGE"):
        _external(statement)
    else:
        _body(statement)


def _parenthesised(statement: StatementCursor, what: str) -> None:
    """``(name Type, …)``, possibly empty."""
    if statement.cursor.kind() != "LEFT_PAREN":
        raise statement.expected(what)
    statement.cursor.index = statement.closing()


def _columns(statement: StatementCursor, what: str, types_may_lack: bool = False) -> None:
    """``(name Type, …)``; all names may stand without types, or none."""
    cursor = statement.cursor
    start = cursor.index
    _parenthesised(statement, what)
    end, cursor.index = cursor.index, start + 1
    first = cursor.current
    if cursor.is_name() and cursor.kind(1) in ("COMMA", "RIGHT_PAREN"):
        cursor.advance()
        if not types_may_lack:
            raise statement.expected("a type")
        while cursor.take_kind("COMMA"):
            statement.name("a column")
        if cursor.kind() != "RIGHT_PAREN":
            raise statement.expected("',' or ')'")
    names = [name.lower() for name in _names(statement, start + 1, end - 1)]
    cursor.index = end - 1
    twice = next((name for name in names if names.count(name) > 1), None)
    statement.once(twice is not None, f"The name {twice}", first)
    cursor.index = end


def _names(statement: StatementCursor, start: int, end: int) -> list[str]:
    """The names that columns begin with; commas inside of types part no columns."""
    cursor, depth, found = statement.cursor, 0, []
    for at in range(start, end):
        cursor.index = at
        text = cursor.current.text
        if cursor.is_name() and (at == start or (depth == 0 and cursor.kind(-1) == "COMMA")):
            found.append(text.strip("`"))
        elif not cursor.is_string():
            depth += sum({"(": 1, "<": 1, ")": -1, ">": -1}.get(sign, 0) for sign in text)
    return found


def _result_type(statement: StatementCursor) -> None:
    cursor = statement.cursor
    if cursor.kind() == "LEFT_PAREN":
        _columns(statement, "the columns of the result")
        return
    start = cursor.index
    while not cursor.done and not _is_brace(statement, "{") and cursor.word() != "LANGUAGE":
        cursor.advance()
    if cursor.index == start:
        raise statement.expected("the type of the result")


def _external(statement: StatementCursor) -> None:
    cursor = statement.cursor
    if not cursor.take("PYTHON") and not cursor.take("JVM"):
        raise statement.expected("PYTHON or JVM")
    cursor.take("AS")
    if cursor.is_string():
        cursor.advance()
    elif cursor.take_kind("BEGIN_DOLLAR_QUOTED_STRING"):
        while not cursor.done and not cursor.take_kind("END_DOLLAR_QUOTED_STRING"):
            cursor.advance()
    else:
        raise statement.expected("the class in quotes, or its code between $$ and $$")


def _body(statement: StatementCursor) -> None:
    cursor = statement.cursor
    _brace(statement, "{", "'{' or LANGUAGE")
    tables: set[str] = set()
    while cursor.take("TABLE"):
        named, first = cursor.current.text.strip("`").lower(), cursor.current
        statement.name("the name of a local table")
        _columns(statement, "the columns of the table in parentheses", types_may_lack=named == "inwindow")
        if not cursor.take_kind("SEMICOLON"):
            raise statement.expected("';'")
        if named in tables:
            raise refusal("CSQL_CLAUSE_DOUBLED", first, first, part=f"The local table {named}")
        tables.add(named)
    seen: set[str] = set()
    while cursor.word() in _SECTIONS:
        _section(statement, seen)
    if "ITERATE" not in seen:
        raise statement.expected("the section ITERATE: {…}")
    _brace(statement, "}", "one of TABLE, INITIALIZE:, ITERATE:, TERMINATE: and EXPIRE:, or '}'")


def _section(statement: StatementCursor, seen: set[str]) -> None:
    """One or more labels that share a body, ``INITIALIZE: ITERATE: {…}``."""
    cursor = statement.cursor
    while cursor.word() in _SECTIONS:
        label = cursor.word()
        if label in seen:
            cursor.fail("CSQL_CLAUSE_DOUBLED", part=f"The section {label}")
        seen.add(label)
        cursor.advance()
        if not cursor.take_kind("COLON"):
            raise statement.expected("':'")
    _brace(statement, "{", "'{'")
    while not _is_brace(statement, "}") and not cursor.done:
        _local_statement(statement)
    _brace(statement, "}", "'}'")


def _local_statement(statement: StatementCursor) -> None:
    """A statement over the local tables, up to its semicolon or the end of the section."""
    cursor, depth = statement.cursor, 0
    inserts, after_values = cursor.word() == "INSERT", False
    if cursor.word() not in _VERBS:
        if cursor.word():
            cursor.fail("CSQL_AGGREGATE_STATEMENT", reason=f"{cursor.word()} cannot stand here.")
        raise statement.expected("INSERT, UPDATE, DELETE or SELECT")
    while not cursor.done and not _is_brace(statement, "}") and (depth > 0 or cursor.kind() != "SEMICOLON"):
        depth += {"LEFT_PAREN": 1, "RIGHT_PAREN": -1}.get(cursor.kind(), 0)
        if depth < 0 or _is_brace(statement, "{"):
            raise statement.expected("';' or '}'")
        word = cursor.word() if depth == 0 else ""
        inserts = inserts and word not in ("SELECT", "FROM")
        after_values = after_values or word == "VALUES"
        cursor.advance()
        ends = cursor.done or _is_brace(statement, "}") or cursor.kind() == "SEMICOLON"
        if word == "WHERE" and inserts and after_values and ends:
            raise statement.expected("something")
    if depth > 0:
        raise statement.expected("')'")
    cursor.take_kind("SEMICOLON")


def _brace(statement: StatementCursor, text: str, what: str) -> None:
    if statement.cursor.done or not _is_brace(statement, text):
        raise statement.expected(what)
    statement.cursor.advance()


def _is_brace(statement: StatementCursor, text: str) -> bool:
    """Braces are no tokens of Spark's; its lexer passes them on as unrecognised."""
    return statement.cursor.current.kind == "UNRECOGNIZED" and statement.cursor.current.text == text
