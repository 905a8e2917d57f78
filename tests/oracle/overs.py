"""From a SELECT with OVER to its block: which windows are ours, what the stream is, and in which order (§8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tests.oracle.clauses import Clause, Window
from tests.oracle.engine import Engine
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.lift import over_of
from tests.oracle.over import Over, Spec
from tests.oracle.overblock import OverBlock
from tests.oracle.registry import Registry
from tests.oracle.selection import Item
from tests.oracle.streams import Stream, ordered_stream
from tests.slt import Relation


def windows_of(select: exp.Select) -> list[Over]:
    """The OVERs of this block, not those of its subqueries."""
    found = [n for e in select.expressions for n in e.find_all(exp.Window) if n.parent_select is select]
    return [over for over in map(over_of, found) if over is not None]


def ours(select: exp.Select, reads_stream: bool) -> list[Over]:
    """The OVERs that are ours: by what stands in them, by the stream, or by the aggregate that is called."""
    windows = [n for e in select.expressions for n in e.find_all(exp.Window) if n.parent_select is select]
    called = [over_of(w) for w in windows if any(n.meta.get("uda") for n in w.this.walk())]
    return [w for w in windows_of(select) if w.ours or w in called or (reads_stream and not w.ordered)]


@dataclass
class Sources:
    """What an OVER block asks of the queries around it."""

    relation: Callable[[exp.Table], Relation]
    query: Callable[[exp.Expr], Stream]
    is_stream: Callable[[exp.Expr], bool]
    engine: Engine
    registry: Registry
    drop_nulls: bool


def answer(select: exp.Select, nodes: Sequence[exp.Expr], chosen: Sequence[Over], sources: Sources) -> Stream:
    specs = {over: over.spec() for over in chosen}
    joins = select.args.get("joins") or []
    if any(j.side not in ("", "LEFT") or j.kind in ("SEMI", "ANTI") or j.method for j in joins):
        raise NotCovered("joins that keep or drop rows of the stream in other ways")
    streams = [n for n in nodes if sources.is_stream(n)] or list(nodes[:1])
    if len(streams) != 1 or (joins and joins[0].side and streams[0] is not nodes[0]):
        raise NotCovered("OVER on several streams")
    items = [
        Item(
            n,
            n.alias_or_name or f"_q{i}",
            ordered(n, list(specs.values()), sources) if n is streams[0] else relation_rows(n, sources),
            None,
        )
        for i, n in enumerate(nodes)
    ]
    streamed = items[[n is streams[0] for n in nodes].index(True)]
    return OverBlock(select, items, streamed, sources.engine, specs, sources.registry).answer()


def relation_rows(node: exp.Expr, sources: Sources) -> Stream:
    if isinstance(node, exp.Table):
        relation = sources.relation(node)
        return Stream(relation.columns, relation.rows, None)
    return sources.query(node.this)


def ordered(node: exp.Expr, specs: Sequence[Spec], sources: Sources) -> Stream:
    """The stream in the one order that all windows of the block have."""
    declared: list[str] = []
    if isinstance(node, exp.Table):
        relation = sources.relation(node)
        declared, bare = relation.order_by, Stream(relation.columns, relation.rows, None)
    else:
        bare = sources.query(node.this)
    orders = {tuple(order_of(spec, declared)) for spec in specs}
    if len(orders) > 1:
        raise Refused("CSQL_OVER_ORDER", "the OVERs of one query have one order", specs[-1].position)
    order = list(orders.pop())
    if bare.answer and not order:
        return bare
    if not isinstance(node, exp.Table) and not bare.ordered:
        raise NotCovered("OVER on a subquery whose rows have no order")
    needs_time = any(not s.rows and (s.length or s.slide) for s in specs)
    window = Window("now" if needs_time else "unbounded")  # either asks for a time column, or does not
    clause = Clause(specs[0].position, window)
    return ordered_stream(bare.columns, bare.rows, order, clause, sources.drop_nulls)


def order_of(spec: Spec, declared: Sequence[str]) -> Sequence[str]:
    """ORDER BY; the declared time column means the whole declared order."""
    given = [c.lower() for c in spec.order_by]
    beginning = [c.lower() for c in declared[: len(given)]]
    return declared if not given or given == beginning else spec.order_by
