"""ORDER BY and LIMIT over rows that are already there."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from tests.oracle.errors import NotCovered, Undetermined
from tests.values import Row


def same_expression(a: exp.Expr, b: exp.Expr) -> bool:
    return a.sql(dialect="spark", normalize=True).lower() == b.sql(dialect="spark", normalize=True).lower()


def output_position(e: exp.Expr, projections: Sequence[exp.Expr]) -> int | None:
    """Which column of the SELECT list is named: by ordinal, alias, name, or by the same expression."""
    if isinstance(e, exp.Literal) and not e.is_string:
        return int(e.name) - 1
    if isinstance(e, exp.Column) and not e.table:
        for i, p in enumerate(projections):
            if p.alias_or_name.lower() == e.name.lower():
                return i
    for i, p in enumerate(projections):
        if same_expression(p.unalias(), e):
            return i
    for i, p in enumerate(projections):  # t.a is the a of the SELECT list, when only one is there
        plain = p.unalias()
        if (
            isinstance(e, exp.Column)
            and isinstance(plain, exp.Column)
            and plain.name.lower() == e.name.lower()
        ) and (not e.table or not plain.table or e.table.lower() == plain.table.lower()):
            return i
    return None


def directions(order: exp.Order | None) -> list[exp.Ordered]:
    return list(order.expressions) if order else []


def limit_of(query: exp.Query) -> int | None:
    if query.args.get("offset"):
        raise NotCovered("OFFSET")
    limit = query.args.get("limit")
    return None if limit is None else int(limit.expression.name)


def ranked(
    rows: list[Row], keys: list[tuple[Any, ...]], order: Sequence[exp.Ordered], limit: int | None
) -> tuple[list[Row], bool]:
    """The rows by their keys, cut to the limit, and whether this order is the only one possible."""
    if limit is not None and not order and len(rows) > limit:
        raise Undetermined("LIMIT without ORDER BY")
    indexes = list(range(len(rows)))
    for position, ordered in reversed(list(enumerate(order))):
        descending, nulls_first = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
        given = [i for i in indexes if keys[i][position] is not None]
        missing = [i for i in indexes if keys[i][position] is None]
        given.sort(key=lambda i, p=position: keys[i][p], reverse=descending)  # type: ignore[misc]
        indexes = missing + given if nulls_first else given + missing
    unique = bool(order) and all(
        keys[a] != keys[b] or rows[a] == rows[b] for a, b in itertools.pairwise(indexes)
    )
    if limit is not None and 0 < limit < len(rows):
        a, b = indexes[limit - 1], indexes[limit]
        if keys[a] == keys[b] and len({repr(rows[i]) for i in indexes if keys[i] == keys[a]}) > 1:
            raise Undetermined("equal rows at the limit")
    return [rows[i] for i in indexes[:limit]], unique
