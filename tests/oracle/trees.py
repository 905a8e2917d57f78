"""Questions about query trees, and the rewritings that every query goes through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from tests.oracle.dialect import has_aggregate
from tests.oracle.errors import NotCovered
from tests.oracle.lift import clause_of, over_of, parse, plain_window
from tests.oracle.operators import operator_of
from tests.slt import Relation


def windowed(node: exp.Expr) -> bool:
    """Whether one of our clauses stands in the node or below."""
    return any(
        clause_of(n)
        or n.meta.get("frequency")
        or operator_of(n)
        or ((over := over_of(n)) is not None and over.ours)
        for n in node.walk()
    )


def in_plain_words(tree: exp.Expr) -> None:
    """Puts back what stood in the OVERs that are plain SQL."""
    for window in list(tree.find_all(exp.Window)):
        over = over_of(window)
        if over is not None:
            plain = plain_window(over)
            plain.set("this", window.this)
            window.replace(plain)


def sources(select: exp.Select) -> list[exp.Expr]:
    start = select.args.get("from_")
    joins = select.args.get("joins") or []
    return [start.this, *(j.this for j in joins)] if start else []


def keeps_order(query: exp.Expr) -> bool:
    """A plain query whose rows stand in the order of its one table."""
    if (
        not isinstance(query, exp.Select)
        or len(sources(query)) != 1
        or not isinstance(sources(query)[0], exp.Table)
    ):
        return False
    grouped = any(query.args.get(part) for part in ("group", "having", "distinct", "order", "limit"))
    return not grouped and not any(map(has_aggregate, query.expressions))


def without_ctes(query: exp.Query) -> exp.Query:
    """Every use of a CTE as a subquery."""
    while with_ := next((n.args["with_"] for n in query.walk() if n.args.get("with_")), None):
        if with_.args.get("recursive"):
            raise NotCovered("recursive CTEs")
        owner = with_.parent
        bodies: dict[str, exp.Expr] = {}
        for cte in with_.expressions:
            inline(cte.this, bodies)
            bodies[cte.alias.lower()] = cte.this
        owner.set("with_", None)
        inline(owner, bodies)
    return query


def without_views(query: exp.Query, views: Mapping[str, exp.Expr]) -> exp.Query:
    """Every use of a view as a subquery; a view may name views that were made before it."""
    if isinstance(query, exp.Query) and any(t.name.lower() in views for t in query.find_all(exp.Table)):
        query = query.copy()
        inline(query, views)
    return query


def views_of(relations: Iterable[Relation]) -> dict[str, exp.Expr]:
    """The queries of the views among these relations, each without views."""
    views: dict[str, exp.Expr] = {}
    for relation in relations:
        if relation.kind == "view" and relation.query:
            views[relation.name.lower()] = without_views(parse(relation.query), views)
    return views


def inline(node: exp.Expr, bodies: Mapping[str, exp.Expr]) -> None:
    for table in list(node.find_all(exp.Table)):
        if table.name.lower() in bodies and not table.db:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
            subquery = exp.Subquery(this=bodies[table.name.lower()].copy(), alias=alias)
            subquery.meta.update(table.meta)
            table.replace(subquery)
