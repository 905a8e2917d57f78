"""INTERSECT and EXCEPT of windowed queries, without an operator around them (semantics §6, 004 §4.1)."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from tests.oracle.block import whole_order
from tests.oracle.clock import Contents, evaluations, jump_together
from tests.oracle.dialect import sql_of, translate
from tests.oracle.found import Answering, Found
from tests.oracle.leaves import check_together
from tests.oracle.relational import Gatherer, Sources, filled, time_columns
from tests.oracle.selection import instant_sql, timed
from tests.oracle.sorting import directions, limit_of
from tests.oracle.streams import Stream
from tests.values import Row


def set_answer(node: exp.SetOperation, given: Sources) -> Stream:
    """INTERSECT and EXCEPT as bags at each evaluation.

    A row that is counted now is new unless it was counted at the evaluation before and is still so over the tuples
    that have stayed in the windows: rows that begin to pass through an expiry come with the next evaluation, rows
    that pass by another tuple are new.
    """
    tree = node.copy()
    order, limit = directions(tree.args.get("order")), limit_of(tree)
    tree.set("order", None)
    tree.set("limit", None)
    gatherer = Gatherer(given, relational=False)
    gatherer.query(tree, inner=False)
    leaves = gatherer.leaves
    check_together(leaves, "")
    first = leaves[0].stream
    sql = sql_of(timed(translate(tree, []), first.times is None, first.time_type))
    columns = given.engine.columns(filled(sql, [() for _ in leaves], "NULL"))

    hidden = set(time_columns(node))

    def key(row: Row) -> str:
        return repr([v for i, v in enumerate(row) if i not in hidden])

    def rows_at(contents: Contents, time: int) -> list[Row]:
        return sorted(given.engine.rows(filled(sql, contents, instant_sql(time, first.time_type))), key=repr)

    made = Answering(leaves)
    before: Contents = tuple(() for _ in leaves)
    was: Counter[str] = Counter()
    together = jump_together(leaves)
    for moment in evaluations(leaves):
        rows = rows_at(moment.contents, moment.time)
        old: Counter[str] = Counter()
        if not together:
            stayed = tuple(
                tuple(i for i in a if i in b) for a, b in zip(moment.contents, before, strict=True)
            )
            old = was & Counter(map(key, rows_at(stayed, moment.time)))
        before, was = moment.contents, Counter(map(key, rows))
        new = []
        for row in rows:
            if old[key(row)]:
                old[key(row)] -= 1
            else:
                new.append(Found(row))
        made.add(moment, new, ordered=len(new) < 2)
    result = made.stream(columns, True)
    if order or limit is not None:
        return whole_order(result, [exp.column(c.name) for c in columns], order, limit)
    return result
