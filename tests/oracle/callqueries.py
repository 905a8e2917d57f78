"""From a SELECT that calls our aggregates without OVER to its block (semantics §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from tests.oracle.callblock import CallBlock
from tests.oracle.clauses import Clause
from tests.oracle.dialect import has_aggregate
from tests.oracle.errors import NotCovered
from tests.oracle.lift import clause_of
from tests.oracle.operators import operator_of
from tests.oracle.relational import expressions, outermost
from tests.oracle.selection import Item
from tests.oracle.streams import Stream
from tests.oracle.trees import sources
from tests.oracle.windows import UNBOUNDED

if TYPE_CHECKING:
    from tests.oracle.query import Queries

WHOLE = Clause((1, 1), UNBOUNDED)


def call_answer(select: exp.Select, queries: Queries) -> Stream:
    """One stream, or the first table, and tables beside it; without a clause it is read as [Range Unbounded]."""
    joins, nodes = select.args.get("joins") or [], sources(select)
    clauses = [clause_of(n) for n in nodes]
    streams = [i for i, n in enumerate(nodes) if clauses[i] or queries.reads_streams(n)] or [0] * bool(nodes)
    inner = any(queries.reads_streams(q) for part in expressions(select) for q in outermost(part))
    if operator_of(select) or inner or len(streams) != 1:
        raise NotCovered("calls of aggregates over several streams, or over relations made streams")
    if any(
        j.side not in ("", "LEFT") or (j.side and i + 1 in streams) or j.kind in ("SEMI", "ANTI") or j.method
        for i, j in enumerate(joins)
    ):
        raise NotCovered("joins that keep or drop rows of the stream in other ways")
    once = False
    if clauses[streams[0]] is None:
        clauses[streams[0]] = WHOLE
        once = blocks(select, queries)
    items = [
        Item(node, node.alias_or_name or f"_q{i}", queries.source(node, clause), clause)
        for i, (node, clause) in enumerate(zip(nodes, clauses, strict=True))
    ]
    return CallBlock(select, items, queries.engine, queries.catalog.registry, once).answer()


def blocks(select: exp.Select, queries: Queries) -> bool:
    """Whether an aggregate without a window answers at the end of its input only."""
    registry = queries.catalog.registry
    calls = [registry.base[call.meta["uda"]] for call in registry.calls(select)]
    return any(c.definition.blocking for c in calls) or any(map(has_aggregate, select.expressions))
