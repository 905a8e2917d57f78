"""Which columns of a query name nothing, told from sqlglot's tree and the columns of relations.

What is not understood is open: a relation that the schema does not know, a table function, a PIVOT. Where
something open is in reach a name may mean it, so it is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

Tree = Any
"""A node of sqlglot, whose base class changes its name from version to version."""

Columns = list[str] | None
"""The columns of a relation; None if they are not known."""

_NAMES = """
current_catalog current_database current_date current_path current_schema current_time current_timestamp
current_user localtimestamp session_user user
grouping__id window session_window _metadata
system session
year quarter month week day dayofyear hour minute second millisecond microsecond
"""
_WITHOUT_RELATION = frozenset(_NAMES.split())
"""Functions without parentheses, columns that Spark makes, homes of variables, units in functions of time."""

_ARGS = """
with_ with kind hint distinct expressions operation_modifiers from_ from joins where group having qualify
windows order sort distribute cluster limit offset
"""
_UNDERSTOOD = frozenset(_ARGS.split())
_STREAM_OPERATORS = frozenset(("ISTREAM", "DSTREAM", "RSTREAM"))
_GENERATORS = (exp.Aliases, exp.Explode, exp.Inline, exp.UDTF)
_NAMELESS = (exp.AggFunc, exp.Add, exp.Sub, exp.Mul, exp.Div)
"""Their columns are called by their whole text, which is no word."""

_PLAIN = (exp.Alias, exp.Column, exp.Star, exp.Literal, *_NAMELESS)


@dataclass(frozen=True)
class Unresolved:
    """A column that is not there, and those that are."""

    column: exp.Column
    candidates: list[str]


@dataclass
class _Scope:
    """The relations of a FROM, by their names, and the names that the SELECT list gives."""

    relations: list[tuple[str, Columns]] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)
    open: bool = False

    @property
    def closed(self) -> bool:
        return not self.open and all(columns is not None for _, columns in self.relations)

    @property
    def columns(self) -> list[str]:
        return [column for _, columns in self.relations for column in columns or ()]

    def has(self, name: str) -> bool:
        return name in self.aliases or name in _lower(self.columns)

    def has_qualified(self, relation: str, name: str) -> bool:
        return any(called == relation and name in _lower(columns or ()) for called, columns in self.relations)


class Resolver:
    """Walks through a query as Spark resolves it, and collects what names nothing.

    ``known`` are the columns by the names of relations in lower case, ``names`` what else a name may mean.
    """

    def __init__(self, known: Mapping[str, list[str]], names: Iterable[str]) -> None:
        self.known: Mapping[str, Columns] = known
        self.names = _WITHOUT_RELATION.union(names)
        self.unresolved: list[Unresolved] = []

    def query(self, tree: Tree, outer: tuple[_Scope, ...] = ()) -> Columns:
        """Looks the columns of a query up; returns the columns of its answer."""
        before = self.known
        try:
            self._common_tables(tree, outer)
            if isinstance(tree, exp.Select):
                return self._select(tree, outer)
            if isinstance(tree, exp.SetOperation):
                columns = self.query(tree.this, outer)
                self.query(tree.expression, outer)
                return None if tree.args.get("by_name") else columns
            if isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
                return self.query(tree.this, outer)
            return None
        finally:
            self.known = before

    def _common_tables(self, tree: Tree, outer: tuple[_Scope, ...]) -> None:
        clause = tree.args.get("with_") or tree.args.get("with")
        for table in clause.expressions if clause else ():
            columns = None if clause.args.get("recursive") else self.query(table.this, outer)
            self.known = {**self.known, table.alias.lower(): _renamed(table, columns)}

    def _select(self, tree: exp.Select, outer: tuple[_Scope, ...]) -> Columns:
        scope = _Scope(open=any(value and key not in _UNDERSTOOD for key, value in tree.args.items()))
        scopes = (scope, *outer)
        start = tree.args.get("from_") or tree.args.get("from")
        if start:
            self._relation(start.this, scope, outer)
        self._joins(tree, scope, outer)
        self._look_up(tree.args.get("where"), scopes)
        items = _items(tree)
        if any(item.find(*_GENERATORS) for item in items):
            scope.open = True  # every item may use the names that they give
        for item in items:  # each may use the names of those before it
            self._look_up(item, scopes)
            if isinstance(item, exp.Alias | exp.Literal) or _is_field(item):
                scope.aliases.add(item.alias_or_name.lower())
        if not all(
            isinstance(item, (exp.Alias, exp.Column, exp.Star, exp.Literal, *_NAMELESS)) for item in items
        ):
            scope.open = True  # a function that may give its columns names
        for window in tree.args.get("windows") or ():
            self._look_up(window, scopes)
        for key in ("group", "having", "qualify", "order", "sort", "distribute", "cluster"):
            self._look_up(tree.args.get(key), scopes)
        return _answer(items, scope)

    def _joins(self, tree: Tree, scope: _Scope, outer: tuple[_Scope, ...]) -> None:
        for join in tree.args.get("joins") or ():
            self._relation(join.this, scope, outer)
            self._look_up(join.args.get("on"), (scope, *outer))

    def _relation(self, tree: Tree, scope: _Scope, outer: tuple[_Scope, ...]) -> None:
        """Adds what stands in FROM to a scope."""
        columns: Columns = None
        if tree.args.get("pivots") or tree.args.get("laterals"):
            scope.open = True
        elif isinstance(tree, exp.Table):
            if isinstance(tree.this, exp.Identifier) and not tree.args.get("db"):
                columns = self.known.get(tree.name.lower())
        elif isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
            columns = self.query(tree.this, outer)
        elif isinstance(tree, exp.Subquery) and not tree.alias:
            self._relation(tree.this, scope, outer)
            self._joins(tree, scope, outer)
            return
        scope.relations.append((tree.alias_or_name.lower(), _renamed(tree, columns)))
        self._joins(tree, scope, outer)

    def _look_up(self, tree: Tree, scopes: tuple[_Scope, ...], bound: frozenset[str] = frozenset()) -> None:
        """``bound`` are the parameters of the lambdas around."""
        if tree is None or isinstance(tree, exp.Hint | exp.DataType):
            return
        if isinstance(tree, exp.Query):
            self.query(tree, scopes)
            return
        if isinstance(tree, exp.Column):
            if not self._resolves(tree, scopes, bound):
                self.unresolved.append(Unresolved(tree, scopes[0].columns))
            return
        if isinstance(tree, exp.Lambda):
            bound = bound.union(parameter.name.lower() for parameter in tree.expressions)
        children = [tree.this] if isinstance(tree, exp.Collate) else tree.iter_expressions()
        for child in children:
            self._look_up(child, scopes, bound)

    def _resolves(self, column: exp.Column, scopes: tuple[_Scope, ...], bound: frozenset[str]) -> bool:
        """Whether a name means something, or may."""
        if not all(isinstance(part, exp.Identifier) and part.name.isidentifier() for part in column.parts):
            return True  # a star, a regular expression, or the text of an expression as its name
        first, *rest = (part.name.lower() for part in column.parts)
        if first in self.names or first in bound:
            return True
        return len(rest) > 1 or any(
            not scope.closed or scope.has(first) or (bool(rest) and scope.has_qualified(first, rest[0]))
            for scope in scopes
        )


def _items(select: exp.Select) -> list[Tree]:
    """The SELECT list; ISTREAM and its kind around the whole of it are no function."""
    items = list(select.expressions)
    if len(items) == 1 and isinstance(items[0], exp.Anonymous) and items[0].name.upper() in _STREAM_OPERATORS:
        return list(items[0].expressions)
    return items


def _is_field(item: Tree) -> bool:
    """``a.b``, whose column is called b."""
    return isinstance(item, exp.Column) and len(item.parts) > 1


def _answer(items: list[Tree], scope: _Scope) -> Columns:
    """The columns of a SELECT list, if all of them are known."""
    columns: list[str] = []
    for item in items:
        if isinstance(item, exp.Alias) or (isinstance(item, exp.Column) and not item.is_star):
            columns.append(item.alias_or_name)
        elif isinstance(item, exp.Star) and scope.closed:
            columns += scope.columns
        elif not isinstance(item, _NAMELESS):
            return None
    return columns


def _renamed(tree: Tree, columns: Columns) -> Columns:
    """The names of ``AS t(a, b)`` if they are told."""
    alias = tree.args.get("alias")
    names = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return [name.name for name in names] if names else columns


def _lower(names: Iterable[str]) -> set[str]:
    return {name.lower() for name in names}
