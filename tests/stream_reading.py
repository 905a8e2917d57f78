"""What a query reads as a stream, which column is the time there, and what a stream can never answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from tests.oracle.bodies import mark
from tests.oracle.clauses import Clause, Window
from tests.oracle.definitions import read
from tests.oracle.dialect import has_aggregate
from tests.oracle.lift import clause_of, parse
from tests.oracle.operators import operator_of
from tests.oracle.overs import windows_of
from tests.oracle.registry import calls
from tests.oracle.relational import expressions, outermost
from tests.oracle.streams import base_type, time_column
from tests.oracle.trees import sources, views_of, windowed, without_ctes, without_views
from tests.slt import Relation, aggregate_key

NO_CLAUSE = Clause((1, 1), Window("unbounded"))


@dataclass
class Reading:
    """`streams`: the fed relations that arrive in micro-batches, with their time columns, None for latent ones.

    A table is a stream in a query when one of our clauses stands after its name, when it stands under an OVER of
    ours, or when a derived stream that the query names is made of it alone. All other tables stay tables. Names are in lower case.
    """

    streams: dict[str, str | None] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    derived: set[str] = field(default_factory=set)
    declared: set[str] = field(
        default_factory=set
    )  # of the streams, those whose declaration can tell a slack
    again: bool = False  # a column of a windowed answer is the time of another stream
    whole: bool = False  # plain SQL that needs the whole answer, which a stream never has
    instant: int | None = None  # the column of the answer that is evaluation_time()

    def key(self) -> tuple[object, ...]:
        """Queries with the same key can run side by side on the same micro-batches."""
        return tuple(sorted(self.streams.items(), key=str)), tuple(sorted(self.derived)), self.again


def reading(sql: str, relations: Mapping[str, Relation], args: Mapping[str, int] | None = None) -> Reading:
    tree = marked(parse(sql, args), relations)
    found = Reading()
    add(found, tree, relations, None)
    found.tables -= set(found.streams)
    found.again |= any(
        (clause := clause_of(node)) is not None and bool(clause.on) and windowed(node.this)
        for node in tree.find_all(exp.Subquery)
    )
    tree = without_ctes(without_views(tree, views_of(relations.values())))
    found.whole = needs_whole(tree, relations)
    outputs = tree.expressions if isinstance(tree, exp.Select) else []
    calls = [i for i, e in enumerate(outputs) if e.unalias().name.lower() == "evaluation_time"]
    found.instant = calls[0] if calls and not any(e.is_star for e in outputs[: calls[0]]) else None
    return found


def marked(query: exp.Query, relations: Mapping[str, Relation]) -> exp.Query:
    """The query with notes on what it calls, and without CTEs."""
    names = frozenset(r.name.lower() for r in relations.values() if r.kind == "aggregate")
    mark(query, names)
    return without_ctes(query)


def ours(tree: exp.Expr) -> bool:
    """Whether one of our clauses or a call of an aggregate written in SQL stands in the query."""
    return windowed(tree) or any(node.meta.get("uda") for node in tree.walk())


def blocks(call: exp.Expr, relations: Mapping[str, Relation]) -> bool:
    """Whether the base version of what is called answers at the end of its input only."""
    base = relations.get(aggregate_key(call.meta["uda"], window=False))
    return base is not None and read(base.query or "").blocking


def add(found: Reading, tree: exp.Expr, relations: Mapping[str, Relation], order: str | None) -> None:
    """Adds what a query names; `order` is the time column of the derived stream that it makes."""
    tables = list(tree.find_all(exp.Table))
    for table in tables:
        relation = relations[table.name.lower()]
        clause = enclosing_clause(table)
        if relation.query is not None:
            found.derived.add(relation.name.lower())
            inner = marked(parse(relation.query), relations)
            view = relation.kind == "view"
            found.again |= ours(inner) and not view
            add(found, inner, relations, None if view or ours(inner) else relation.order_by[0])
        elif (
            relation.kind == "stream"
            or clause is not None
            or (order and len(tables) == 1)
            or under_over(table, relations)
        ):
            chosen = time_column(relation.columns, relation.order_by, clause or NO_CLAUSE)
            time = order or (chosen[0] if chosen else None)
            before = found.streams.setdefault(relation.name.lower(), time)
            assert before == time, f"{relation.name} is read by {before} and by {time}"
            if relation.kind == "stream" or order:
                found.declared.add(relation.name.lower())
        else:
            found.tables.add(relation.name.lower())


def enclosing_clause(table: exp.Table) -> Clause | None:
    """The clause after the table, or after plain subqueries around it."""
    node: exp.Expr | None = table
    while node is not None:
        if isinstance(node, exp.Table | exp.Subquery) and clause_of(node):
            return clause_of(node)
        node = node.parent
        if isinstance(node, exp.Subquery) and windowed(node.this):
            return None
    return None


def under_over(table: exp.Table, relations: Mapping[str, Relation]) -> bool:
    """Whether the table is the first item under an OVER of ours, and no other item is a stream."""
    select = table.parent_select
    if select is None or not any(over.ours for over in windows_of(select)):
        return False
    items = sources(select)
    return table is items[0] and not any(reads_stream(item, relations) for item in items)


def reads_stream(tree: exp.Expr, relations: Mapping[str, Relation]) -> bool:
    return windowed(tree) or any(relations[t.name.lower()].kind == "stream" for t in tree.find_all(exp.Table))


def needs_whole(node: exp.Expr, relations: Mapping[str, Relation]) -> bool:
    """Whether plain SQL around the blocks sorts or aggregates: Spark can do that only when nothing more comes.

    LIMIT alone counts as rows arrive; ORDER BY with LIMIT in a jumping block is the top n of each evaluation.
    """
    if isinstance(node, exp.Subquery):
        return needs_whole(node.this, relations)
    if isinstance(node, exp.SetOperation):
        sides = (node.this, node.expression)
        return bool(node.args.get("order")) or any(needs_whole(side, relations) for side in sides)
    if not isinstance(node, exp.Select) or not reads_stream(node, relations):
        return False
    clauses = [c for c in map(clause_of, sources(node)) if c]
    ordered, limited = bool(node.args.get("order")), node.args.get("limit") is not None
    if operator_of(node):  # what it reads without a clause is part of the block
        inner = [s for s in sources(node) if clause_of(s) or is_stream_again(s)]
        return (ordered and not limited) or any(needs_whole(s, relations) for s in inner)
    if clauses or node.meta.get("frequency") or any(map(windowed, outermost_queries(node))):
        each = limited and any(c.jumping for c in clauses)
        if ordered and not each:
            return True
    elif called := [call for e in node.expressions for call in calls(e)]:
        built_in = any(map(has_aggregate, node.expressions))
        if ordered or built_in or any(blocks(call, relations) for call in called):
            return True
    elif (
        ordered
        or node.args.get("group")
        or node.args.get("distinct")
        or any(map(has_aggregate, node.expressions))
    ):
        return True
    return any(needs_whole(inner, relations) for inner in inputs(node, relations))


def outermost_queries(select: exp.Select) -> list[exp.Expr]:
    return [query for part in expressions(select) for query in outermost(part)]


def is_stream_again(node: exp.Expr) -> bool:
    """A subquery with an operator of its own."""
    while isinstance(node, exp.Subquery):
        node = node.this
    return bool(operator_of(node))


def inputs(select: exp.Select, relations: Mapping[str, Relation]) -> Iterable[exp.Expr]:
    for source in sources(select):
        if isinstance(source, exp.Subquery):
            yield source
        elif isinstance(source, exp.Table) and (query := relations[source.name.lower()].query):
            yield marked(parse(query), relations)


def time_type(relation: Relation, column: str) -> str:
    return next(base_type(c) for c in relation.columns if c.name.lower() == column.lower())
