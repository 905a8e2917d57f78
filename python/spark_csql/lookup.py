"""The columns of a statement's queries, looked up in a schema with sqlglot once our clauses are taken out."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection, Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from spark_csql.parse.columns import Schema, check_columns
from spark_csql.parse.finder import Findings
from spark_csql.parse.lexer import Token
from spark_csql.parse.problem import Problem, Refused
from spark_csql.scopes import Resolver, Unresolved

_QUERIES = frozenset(("SELECT", "WITH", "FROM", "LEFT_PAREN"))
_BEFORE_AS = frozenset(("CREATE", "CACHE"))
_HOLDERS = frozenset(("INSERT", "EXPLAIN"))
_ENDS_HEAD = frozenset(("AS", "LEFT_PAREN", "DEFAULT", "EQ"))
_CHANGES = frozenset(("CREATE", "REPLACE", "ALTER", "DROP"))
_SUGGESTIONS = 5


class Lookup:
    """What names mean in a script: the relations of a schema, less those that the script itself defines."""

    def __init__(self, schema: Schema) -> None:
        self.schema = dict(schema)
        self.variables: set[str] = set()

    def problem_of(self, found: Findings) -> Problem | None:
        """The first column of a statement that is not there; what sqlglot cannot read is not judged."""
        try:
            check_columns(found, self.schema)
        except Refused as refused:
            return refused.problem
        problems = (_look_up(query, self.schema, self.variables) for query in _queries(found))
        return next((problem for problem in problems if problem), None)

    def after(self, statement: list[Token]) -> None:
        """Forgets the relations that a statement changes, and remembers its variables."""
        head = itertools.takewhile(lambda token: token.kind not in _ENDS_HEAD, statement)
        words = {token.text.strip("`").lower() for token in head}
        if statement[0].kind in _CHANGES:
            self.schema = {
                name: columns for name, columns in self.schema.items() if name.lower() not in words
            }
        elif statement[0].kind == "USE":
            self.schema = {}
        elif statement[0].kind == "DECLARE":
            self.variables |= words


def _queries(found: Findings) -> Iterator[Findings]:
    """The statement itself, or the queries inside of one of ours."""
    if found.heads:
        for _, inner in found.inner:
            yield from _queries(inner)
    else:
        yield found


def _look_up(found: Findings, schema: Schema, names: Collection[str]) -> Problem | None:
    ours = found.hidden | found.units
    plain = [token for k, token in enumerate(found.tokens.visible) if k not in ours]
    query = plain[_query_start(plain) : -1]
    if not query or found.doubtful:
        return None
    resolver = Resolver({name.lower(): list(columns) for name, columns in schema.items()}, names)
    try:
        tree = sqlglot.parse_one(_spaced(query), dialect="spark")
        resolver.query(tree)
    except (SqlglotError, RecursionError):
        return None
    places = {token.start - query[0].start: token for token in query}
    return next(filter(None, (_problem(missing, places) for missing in resolver.unresolved)), None)


def _query_start(tokens: list[Token]) -> int:
    """The token with which the statement's query begins; its end, if it has none or cannot be told."""
    if tokens[0].kind in _QUERIES:
        return 0
    depth, waiting = 0, tokens[0].kind in _BEFORE_AS
    if waiting or tokens[0].kind in _HOLDERS:
        for k, token in enumerate(tokens):
            depth += {"LEFT_PAREN": 1, "RIGHT_PAREN": -1}.get(token.kind, 0)
            if token.kind == "FUNCTION":  # its parameters are names too
                break
            if depth == 0 and waiting:
                waiting = token.kind != "AS"
            elif depth == 0 and token.kind in ("SELECT", "WITH"):
                return k
    return len(tokens)


def _spaced(tokens: list[Token]) -> str:
    """The tokens, each at its distance from the first one."""
    letters, at = [], tokens[0].start
    for token in tokens:
        letters += [" " * (token.start - at), token.text]
        at = token.stop
    return "".join(letters)


def _problem(missing: Unresolved, places: dict[int, Token]) -> Problem | None:
    parts = [part for part in missing.column.parts if isinstance(part, exp.Identifier)]
    first = places.get(parts[0].meta.get("start", -1))
    last = places.get(parts[-1].meta.get("start", -1))
    if first is None or last is None:
        return None
    name = ".".join(f"`{part.name}`" for part in parts)
    near = sorted(
        missing.candidates, key=lambda column: -difflib.SequenceMatcher(None, column, parts[-1].name).ratio()
    )
    told = f"A column, variable, or function parameter with name {name} cannot be resolved."
    kind = "WITHOUT_SUGGESTION"
    if near:
        told += f" Did you mean one of the following? [{', '.join(f'`{c}`' for c in near[:_SUGGESTIONS])}]."
        kind = "WITH_SUGGESTION"
    return Problem(f"UNRESOLVED_COLUMN.{kind}", told, first.line, first.position, first.start, last.stop)
