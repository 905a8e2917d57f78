"""Whole queries: blocks, the plain SQL around them, nesting, unions, derived streams (semantics §6, §10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
from sqlglot import exp

from tests.oracle import overs
from tests.oracle.block import Block, whole_order
from tests.oracle.bodies import mark
from tests.oracle.callqueries import call_answer
from tests.oracle.clauses import Clause, Window
from tests.oracle.continuous import select_answer
from tests.oracle.definitions import is_definition, is_drop
from tests.oracle.dialect import sql_of, translate
from tests.oracle.engine import Engine, quoted
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.lift import clause_of, parse
from tests.oracle.operators import operator_of
from tests.oracle.registry import Registry
from tests.oracle.relational import expressions, outermost
from tests.oracle.selection import Item
from tests.oracle.setops import set_answer
from tests.oracle.sorting import directions, limit_of
from tests.oracle.streams import Stream, ordered_stream
from tests.oracle.trees import (
    in_plain_words,
    keeps_order,
    sources,
    views_of,
    windowed,
    without_ctes,
    without_views,
)
from tests.slt import Column, Relation
from tests.values import Row

NO_CLAUSE = Clause((1, 1), Window("unbounded"))


@dataclass
class Answer:
    """The rows of an answer; `ordered`: their order is the contract's, else any order is right."""

    columns: list[str]
    rows: list[Row]
    ordered: bool


@dataclass
class Catalog:
    """The relations a query may name; derived streams are answered when they are added."""

    settings: Mapping[str, str] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    engine: Engine = field(default_factory=Engine)
    registry: Registry = field(init=False)

    def __post_init__(self) -> None:
        self.registry = Registry(self.engine, self.ask)

    @staticmethod
    def of(relations: Iterable[Relation], settings: Mapping[str, str] | None = None) -> Catalog:
        catalog = Catalog(settings or {})
        for relation in relations:
            catalog.add(relation)
        return catalog

    def add(self, relation: Relation) -> None:
        if relation.kind == "aggregate":
            self.registry.define(relation.query or "")
            return
        if relation.kind == "view":
            self.relations[relation.name.lower()] = relation
            return
        if relation.query:
            result = Queries(self).query(self.parsed(relation.query))
            relation = Relation("stream", relation.name, result.columns, relation.order_by, None, result.rows)
        self.relations[relation.name.lower()] = relation
        self.engine.table(relation.columns, relation.rows, relation.name, places=False)

    def parsed(self, sql: str, args: Mapping[str, int] | None = None) -> exp.Expr:
        """The query's tree, with the queries of the views that it names, and its calls of aggregates marked."""
        tree = without_views(parse(sql, args), views_of(self.relations.values()))
        return mark(tree, self.registry.names)

    def ask(self, query: exp.Query, relations: list[Relation]) -> tuple[list[Column], list[Row]]:
        """A query of an aggregate's body, which calls other aggregates, over its local tables."""
        inner = Catalog(self.settings, {r.name.lower(): r for r in relations}, self.engine)
        inner.registry = replace(self.registry, window={})
        result = Queries(inner).query(mark(query.copy(), inner.registry.names))
        return result.columns, result.rows


def answer(catalog: Catalog, sql: str, args: Mapping[str, int] | None = None) -> Answer:
    """The answer to a query over a catalog; `args` are the values of its parameter markers.

    CREATE and DROP AGGREGATE are checked, and change nothing.
    """
    try:
        if is_definition(sql) or is_drop(sql):
            registry = replace(
                catalog.registry, base={**catalog.registry.base}, window={**catalog.registry.window}
            )
            (registry.define if is_definition(sql) else registry.drop)(sql)
            return Answer([], [], True)
        result = Queries(catalog).query(catalog.parsed(sql, args))
    except duckdb.Error as e:
        raise NotCovered(f"DuckDB: {e}") from e
    rows = [tuple(map(plain_value, row)) for row in result.rows]
    return Answer([c.name for c in result.columns], rows, result.ordered or len(rows) < 2)


def plain_value(value: Any) -> Any:
    """A struct as a tuple."""
    return tuple(map(plain_value, value.values())) if isinstance(value, dict) else value


@dataclass
class Queries:
    catalog: Catalog

    @property
    def engine(self) -> Engine:
        return self.catalog.engine

    def default_window(self, node: exp.Expr) -> Clause:
        """What a stream without a clause gets in a windowed block."""
        if self.catalog.settings.get("spark.csql.defaults") == "reject":
            raise Refused("CSQL_DEFAULT_REJECTED", f"{node.alias_or_name} gets [Range Unbounded]")
        return NO_CLAUSE

    def query(self, node: exp.Expr) -> Stream:
        if isinstance(node, exp.Query):
            node = without_ctes(node)
        if isinstance(node, exp.Subquery) and not node.alias:
            return self.query(node.this)
        if not self.windowed(node):
            return self.plain(node)
        if isinstance(node, exp.SetOperation):
            return self.set_operation(node)
        if isinstance(node, exp.Select):
            if self.catalog.registry.calls(node):
                return call_answer(node, self)
            if operator_of(node) or node.meta.get("frequency") or self.windows_of_its_own(node):
                return self.block(node)
            chosen = self.overs(node)
            if chosen:
                drop = self.catalog.settings.get("spark.csql.nullTime") == "drop"
                given = overs.Sources(
                    self.relation,
                    self.query,
                    self.is_stream,
                    self.catalog.engine,
                    self.catalog.registry,
                    drop,
                )
                return overs.answer(node, sources(node), chosen, given)
            return self.plain(node)
        raise NotCovered(type(node).__name__)

    def windowed(self, node: exp.Expr) -> bool:
        """Whether something of ours stands in the node or below, also by what the names in it mean."""
        selects = node.find_all(exp.Select)
        return windowed(node) or any(
            self.overs(select) or self.catalog.registry.calls(select) for select in selects
        )

    def overs(self, select: exp.Select) -> list[overs.Over]:
        """The OVERs of a block that are ours."""
        return overs.ours(select, any(windowed(n) or self.names_stream(n) for n in sources(select)))

    def windows_of_its_own(self, select: exp.Select) -> bool:
        """Whether a clause stands in FROM, or in a subquery of an expression, which is evaluated with the block."""
        return any(clause_of(s) for s in sources(select)) or any(
            windowed(query) for part in expressions(select) for query in outermost(part)
        )

    def block(self, select: exp.Select) -> Stream:
        """One windowed stream and tables, or else several streams, or a relation made a stream."""
        joins = select.args.get("joins") or []
        nodes = sources(select)
        clauses = [clause_of(n) for n in nodes]
        streams = [i for i, n in enumerate(nodes) if clauses[i] or self.reads_streams(n)]
        inner = any(self.reads_streams(q) for part in expressions(select) for q in outermost(part))
        outer = any(j.side not in ("", "LEFT") or (j.side and i + 1 in streams) for i, j in enumerate(joins))
        if operator_of(select) or inner or outer or len(streams) != 1:
            return select_answer(select, self)
        if any(j.kind in ("SEMI", "ANTI") or j.method for j in joins):
            raise NotCovered("natural, semi and anti joins")
        if clauses[streams[0]] is None:  # only an answer frequency, or a plain query that is read as a stream
            if not self.streamlike(nodes[streams[0]]):
                raise NotCovered("a plain subquery over a stream, without a clause, in a windowed block")
            clauses[streams[0]] = NO_CLAUSE
        items = [
            Item(node, node.alias_or_name or f"_q{i}", self.source(node, clause), clause)
            for i, (node, clause) in enumerate(zip(nodes, clauses, strict=True))
        ]
        return Block(select, items, self.catalog.engine).answer()

    def relation(self, table: exp.Table) -> Relation:
        if table.name.lower() not in self.catalog.relations:
            raise NotCovered(f"no relation {table.name}")
        return self.catalog.relations[table.name.lower()]

    def names_stream(self, node: exp.Expr) -> bool:
        """Whether a declared stream is named in the node or below."""
        names = {table.name.lower() for table in node.find_all(exp.Table)}
        return any(r.kind == "stream" for name, r in self.catalog.relations.items() if name in names)

    def is_stream(self, node: exp.Expr) -> bool:
        """A declared stream, or a subquery that is one."""
        if not self.windowed(node) and isinstance(node, exp.Subquery) and self.names_stream(node):
            raise NotCovered("a plain subquery over a stream, without a clause, in a windowed block")
        return self.reads_streams(node)

    def reads_streams(self, node: exp.Expr) -> bool:
        return self.windowed(node) or self.names_stream(node)

    def streamlike(self, node: exp.Expr) -> bool:
        """A query whose answer is a stream: a windowed one, or one that only takes, drops and merges tuples."""
        while isinstance(node, exp.Subquery):
            node = node.this
        if self.windowed(node) or isinstance(node, exp.Table):
            return self.reads_streams(node)
        if isinstance(node, exp.Union):
            return self.streamlike(node.this) and self.streamlike(node.expression)
        return keeps_order(node) and self.names_stream(node)

    def source(self, node: exp.Expr, clause: Clause | None) -> Stream:
        """A FROM item's rows: in stream order if it has a clause, else as a table."""
        drop = self.catalog.settings.get("spark.csql.nullTime") == "drop"
        if isinstance(node, exp.Table):
            relation = self.relation(node)
            if clause is None:
                return Stream(relation.columns, relation.rows, None)
            return ordered_stream(relation.columns, relation.rows, relation.order_by, clause, drop)
        if not isinstance(node, exp.Subquery):
            raise NotCovered(f"{type(node).__name__} in FROM")
        result = self.as_stream(node.this) if clause is not None else self.query(node.this)
        if clause is None or (result.answer and not clause.on):
            return result
        if windowed(node.this) and not result.answer:
            raise NotCovered("a plain query between two blocks")
        stream = ordered_stream(result.columns, result.rows, [], clause, drop)
        kept = result.answer or keeps_order(node.this)
        if not kept and (stream.times is None or len(set(stream.times)) < len(stream.times)):
            raise NotCovered("a stream over rows without an order")
        return stream

    def as_stream(self, node: exp.Expr) -> Stream:
        """The answer stream of a query; declared streams that it reads without a clause get [Range Unbounded]."""
        while isinstance(node, exp.Subquery):
            node = node.this
        if self.windowed(node) or not self.streamlike(node):
            return self.query(node)
        return self.union(node) if isinstance(node, exp.Union) else self.block(node)

    def set_operation(self, node: exp.SetOperation) -> Stream:
        if isinstance(node, exp.Union):
            return self.union(node)
        return set_answer(node, self)

    def union(self, node: exp.Union) -> Stream:
        """UNION ALL: the answers merged by time, ties by side; UNION: no equal rows at one instant."""
        sides = [self.as_stream(node.this), self.as_stream(node.expression)]
        if any(side.times is None or not side.answer for side in sides):
            raise NotCovered("a union with a side that has no time")
        if sides[0].time_type != sides[1].time_type:
            raise Refused("CSQL_TIME_TYPES_DIFFER", "times of different types cannot be merged")
        merged = [(time, s, i) for s, side in enumerate(sides) for i, time in enumerate(side.times or [])]
        merged.sort(key=lambda m: m[:2])
        rows = [sides[s].rows[i] for _, s, i in merged]
        times = [time for time, _, _ in merged]
        if node.args.get("distinct"):
            first: dict[tuple[int, str], int] = {}
            for at, (time, row) in enumerate(zip(times, rows, strict=True)):
                first.setdefault((time, repr(row)), at)
            kept = sorted(first.values())
            rows, times = [rows[i] for i in kept], [times[i] for i in kept]
        columns, rows = self.widened(sides, rows)
        ordered = all(side.ordered for side in sides)
        result = Stream(columns, rows, times, sides[0].time_type, ordered, answer=True)
        order, limit = directions(node.args.get("order")), limit_of(node)
        if order or limit is not None:
            return whole_order(result, [exp.column(c.name) for c in columns], order, limit)
        return result

    def widened(self, sides: list[Stream], rows: list[Row]) -> tuple[list[Column], list[Row]]:
        """Columns wide enough for both sides."""
        engine = self.catalog.engine
        empty = [engine.table(side.columns, [], places=False) for side in sides]
        columns = engine.columns(" UNION ALL ".join(f"SELECT * FROM {quoted(t)}" for t in empty))
        table = engine.table(columns, rows)
        names = ", ".join(quoted(c.name) for c in columns)
        return columns, engine.rows(f"SELECT {names} FROM {quoted(table)} ORDER BY __k")

    def plain(self, node: exp.Expr) -> Stream:
        """Plain SQL, over the answers of the blocks inside it."""
        tree = node.copy()
        if not isinstance(tree, exp.Select | exp.SetOperation):
            raise NotCovered(type(tree).__name__)
        while True:
            inner = next((n for n in tree.find_all(exp.Subquery) if self.windowed(n)), None)
            if inner is None:
                break
            if not isinstance(inner.parent, exp.From | exp.Join):
                raise NotCovered("a windowed subquery in a condition of a plain query around a block")
            result = self.query(inner.this)
            table = self.catalog.engine.table(result.columns, result.rows, places=False)
            inner.replace(exp.alias_(exp.to_table(table), inner.alias_or_name, table=True, quoted=True))
        in_plain_words(tree)
        order, limit = directions(tree.args.get("order")), limit_of(tree)
        tree.set("order", None)
        tree.set("limit", None)
        sql = sql_of(translate(tree, []))
        columns = self.catalog.engine.columns(sql)
        result = Stream(columns, self.catalog.engine.rows(sql), None, "", False)
        if not order and limit is None:
            return result
        given = tree.expressions if isinstance(tree, exp.Select) else []
        starred = not given or any(p.is_star for p in given)
        return whole_order(result, [exp.column(c.name) for c in columns] if starred else given, order, limit)
