"""Whole queries: blocks, the plain SQL around them, nesting, unions, derived streams (semantics §6, §10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import duckdb
from sqlglot import exp

from tests.oracle import overs
from tests.oracle.block import Block, Item, whole_order
from tests.oracle.clauses import Clause, Window
from tests.oracle.dialect import sql_of, translate
from tests.oracle.engine import Engine, quoted
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.lift import clause_of, parse
from tests.oracle.sorting import directions, limit_of
from tests.oracle.streams import Stream, ordered_stream
from tests.oracle.trees import in_plain_words, keeps_order, sources, windowed, without_ctes
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

    @staticmethod
    def of(relations: Iterable[Relation], settings: Mapping[str, str] | None = None) -> Catalog:
        catalog = Catalog(settings or {})
        for relation in relations:
            catalog.add(relation)
        return catalog

    def add(self, relation: Relation) -> None:
        if relation.query:
            result = Queries(self).query(parse(relation.query))
            relation = Relation("stream", relation.name, result.columns, relation.order_by, None, result.rows)
        self.relations[relation.name.lower()] = relation
        self.engine.table(relation.columns, relation.rows, relation.name, places=False)


def answer(catalog: Catalog, sql: str, args: Mapping[str, int] | None = None) -> Answer:
    """The answer to a query over a catalog; `args` are the values of its parameter markers."""
    try:
        result = Queries(catalog).query(parse(sql, args))
    except duckdb.Error as e:
        raise NotCovered(f"DuckDB: {e}") from e
    return Answer([c.name for c in result.columns], result.rows, result.ordered or len(result.rows) < 2)


@dataclass
class Queries:
    catalog: Catalog

    def query(self, node: exp.Expr) -> Stream:
        if isinstance(node, exp.Query):
            node = without_ctes(node)
        if isinstance(node, exp.Subquery) and not node.alias:
            return self.query(node.this)
        if not self.windowed(node):
            return self.plain(node)
        if isinstance(node, exp.SetOperation):
            return self.union(node)
        if isinstance(node, exp.Select):
            if node.meta.get("frequency") or any(clause_of(s) for s in sources(node)):
                return self.block(node)
            chosen = self.overs(node)
            if chosen:
                drop = self.catalog.settings.get("spark.csql.nullTime") == "drop"
                given = overs.Sources(self.relation, self.query, self.is_stream, self.catalog.engine, drop)
                return overs.answer(node, sources(node), chosen, given)
            return self.plain(node)
        raise NotCovered(type(node).__name__)

    def windowed(self, node: exp.Expr) -> bool:
        """Whether something of ours stands in the node or below, also by what the names in it mean."""
        return windowed(node) or any(self.overs(select) for select in node.find_all(exp.Select))

    def overs(self, select: exp.Select) -> list[overs.Over]:
        """The OVERs of a block that are ours."""
        return overs.ours(select, any(windowed(n) or self.names_stream(n) for n in sources(select)))

    def block(self, select: exp.Select) -> Stream:
        for part in (*select.expressions, *(select.args.get(p) for p in ("where", "having", "qualify"))):
            if part is not None and (windowed(part) or self.names_stream(part)):
                raise NotCovered("streams in subqueries of expressions")
        joins = select.args.get("joins") or []
        nodes = sources(select)
        clauses = [clause_of(n) for n in nodes]
        if not any(clauses):  # only an answer frequency: the stream gets Range Unbounded
            streams = [i for i, n in enumerate(nodes) if self.is_stream(n)]
            if len(streams) != 1:
                raise NotCovered("an answer frequency over no stream, or over several")
            clauses[streams[0]] = NO_CLAUSE
        items = []
        for i, (node, clause) in enumerate(zip(nodes, clauses, strict=True)):
            if clause is None and self.is_stream(node):
                raise NotCovered("joins of streams")
            if (i and clause and joins[i - 1].side) or (i and joins[i - 1].side not in ("", "LEFT")):
                raise NotCovered("outer joins that keep the table's rows")
            if i and (joins[i - 1].kind in ("SEMI", "ANTI") or joins[i - 1].method):
                raise NotCovered("natural, semi and anti joins")
            alias = node.alias_or_name or f"_q{i}"
            items.append(Item(node, alias, self.source(node, clause), clause))
        if sum(c is not None for c in clauses) > 1:
            raise NotCovered("joins of streams")
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
        return self.windowed(node) or self.names_stream(node)

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
        result = self.query(node.this)
        if clause is None or (result.answer and not clause.on):
            return result
        if windowed(node.this) and not result.answer:
            raise NotCovered("a plain query between two blocks")
        stream = ordered_stream(result.columns, result.rows, [], clause, drop)
        kept = result.answer or keeps_order(node.this)
        if not kept and (stream.times is None or len(set(stream.times)) < len(stream.times)):
            raise NotCovered("a stream over rows without an order")
        return stream

    def union(self, node: exp.SetOperation) -> Stream:
        """UNION ALL: the answers merged by time, ties by side; UNION: no equal rows at one instant."""
        if not isinstance(node, exp.Union):
            raise NotCovered("INTERSECT and EXCEPT")
        sides = [self.query(node.this), self.query(node.expression)]
        if any(side.times is None for side in sides) or not all(map(windowed, (node.this, node.expression))):
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
                raise NotCovered("windows in subqueries of conditions")
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
