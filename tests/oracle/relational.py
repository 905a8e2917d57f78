"""A query over several windows as SQL in which the windows' contents are left open (semantics §6, §7).

Every stream, in FROM, in subqueries of FROM that are relations and in subqueries of expressions, becomes a table cut
to the tuples that its window holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from tests.oracle.clauses import Clause
from tests.oracle.dialect import duck, sql_of, translate
from tests.oracle.engine import ORDER, Engine, quoted
from tests.oracle.errors import NotCovered
from tests.oracle.leaves import Leaf
from tests.oracle.lift import clause_of
from tests.oracle.operators import operator_of
from tests.oracle.selection import INSTANT, Item, timed
from tests.oracle.streams import Stream
from tests.oracle.trees import sources


class Sources(Protocol):
    """What is asked of the queries around."""

    @property
    def engine(self) -> Engine: ...
    def default_window(self, node: exp.Expr) -> Clause: ...
    def source(self, node: exp.Expr, clause: Clause | None) -> Stream: ...
    def reads_streams(self, node: exp.Expr) -> bool: ...
    def streamlike(self, node: exp.Expr) -> bool: ...


def place(leaf: int) -> str:
    return f"'<<window {leaf}>>'"


@dataclass
class Gatherer:
    """Replaces the relations of a tree; `relational`: subqueries in FROM are relations, else they are streams."""

    given: Sources
    relational: bool
    leaves: list[Leaf] = field(default_factory=list)
    ordered: bool = True  # the rows of all sources have an order that is determined

    def top(self, select: exp.Select) -> list[Item]:
        """The items of a block, whose tuples keep their places."""
        items = [self.item(node, i, visible=True) for i, node in enumerate(sources(select))]
        self.expressions(select)
        return items

    def query(self, node: exp.Expr, inner: bool) -> None:
        """A subquery that is a relation at each instant."""
        while isinstance(node, exp.Subquery):
            node = node.this
        if isinstance(node, exp.SetOperation):
            self.query(node.this, inner)
            self.query(node.expression, inner)
            return
        if not isinstance(node, exp.Select) or node.meta.get("frequency") or operator_of(node):
            raise NotCovered("a stream where a relation is needed")
        for i, source in enumerate(sources(node)):
            self.item(source, i, visible=False, inner=inner)
        self.expressions(node)

    def expressions(self, select: exp.Select) -> None:
        """Subqueries in expressions."""
        for part in expressions(select):
            for found in outermost(part):
                self.query(found, inner=True)

    def item(self, node: exp.Expr, number: int, visible: bool, inner: bool = False) -> Item:
        if node.args.get("joins") or not isinstance(node, exp.Table | exp.Subquery):
            raise NotCovered(f"{type(node).__name__} in FROM")
        clause, alias = clause_of(node), node.alias_or_name or f"_q{number}"
        if isinstance(node, exp.Subquery) and clause is None and self.is_relation(node, inner):
            return self.derived(node, alias, inner)
        reads = self.given.reads_streams(node)
        if clause is None and reads:
            if isinstance(node, exp.Subquery) and not self.given.streamlike(node.this):
                raise NotCovered("a plain subquery over a stream, without a clause, in a windowed block")
            clause = self.given.default_window(node)
        stream = self.given.source(node, clause)
        self.ordered = self.ordered and stream.ordered
        item = Item(node, alias, stream, clause)
        if clause is None:
            item.table, cut = self.given.engine.table(stream.columns, stream.rows), ""
        else:
            leaf = Leaf(stream, clause, inner)
            leaf.table = item.table = self.given.engine.table(leaf.stream.columns, leaf.stream.rows)
            cut = f" WHERE {ORDER} IN ({place(len(self.leaves))})"
            self.leaves.append(leaf)
        columns = ", ".join(quoted(c.name) for c in stream.columns) + (f", {ORDER}" if visible else "")
        replace(node, f"(SELECT {columns} FROM {quoted(item.table)}{cut}) AS {quoted(alias)}")
        return item

    def is_relation(self, node: exp.Subquery, inner: bool) -> bool:
        """A subquery over streams that is part of the enclosing query."""
        query = node.this
        while isinstance(query, exp.Subquery):
            query = query.this
        return (self.relational or inner) and self.given.reads_streams(node) and not operator_of(query)

    def derived(self, node: exp.Subquery, alias: str, inner: bool) -> Item:
        self.query(node.this, inner)
        times = time_columns(node.this)
        body = node.this
        while isinstance(body, exp.Subquery):
            body = body.this
        clock = self.leaves[-1].stream
        sql = sql_of(timed(translate(body, []), clock.times is None, clock.time_type))
        replace(node, f"({sql}) AS {quoted(alias)}")
        columns = self.given.engine.columns(filled(sql, [() for _ in self.leaves], "NULL"))
        item = Item(node, alias, Stream(columns, [], None), None)
        item.node.meta["times"] = {columns[i].name.lower() for i in times}
        return item


def replace(node: exp.Expr, text: str) -> None:
    fresh = duck(f"SELECT * FROM {text}")
    node.replace(fresh.args["from_"].this)


def expressions(select: exp.Select) -> list[exp.Expr]:
    """Where expressions stand in a block: the SELECT list, conditions and the rest, also those of joins."""
    joins = select.args.get("joins") or []
    parts = [*select.expressions, *(j.args.get("on") for j in joins)]
    parts += [select.args.get(p) for p in ("where", "group", "having", "order")]
    return [part for part in parts if part is not None]


def outermost(part: exp.Expr) -> list[exp.Expr]:
    """The queries in an expression, not those inside them."""
    if isinstance(part, exp.Query):
        return [part]
    return [found for child in part.iter_expressions() for found in outermost(child)]


def holds_time(node: exp.Expr) -> bool:
    return any(call.name.lower() == "evaluation_time" for call in node.find_all(exp.Anonymous))


def time_columns(query: exp.Expr) -> list[int]:
    """Which columns of a query tell the time of the answer."""
    while isinstance(query, exp.Subquery | exp.SetOperation):
        query = query.this
    found = [i for i, e in enumerate(query.expressions) if holds_time(e)]
    if found and any(e.is_star for e in query.expressions):
        raise NotCovered("evaluation_time() beside * in a relation")
    return found


def filled(sql: str, contents: list[tuple[int, ...]] | tuple[tuple[int, ...], ...], instant: str) -> str:
    for number, content in enumerate(contents):
        sql = sql.replace(place(number), ", ".join(map(str, content)) or "NULL")
    return sql.replace(INSTANT, instant)
