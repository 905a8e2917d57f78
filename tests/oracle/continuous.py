"""Blocks over several windowed streams, and streams from relations: what they answer and when (semantics §4–§7)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from sqlglot import exp

from tests.oracle.block import thinned, whole_order
from tests.oracle.clock import Contents, evaluations, instants, jump_together
from tests.oracle.dialect import duck, sql_of, translate
from tests.oracle.engine import ORDER, Engine, quoted
from tests.oracle.errors import NotCovered
from tests.oracle.found import Answering, Found, determined, difference, in_order
from tests.oracle.leaves import Leaf, check_together
from tests.oracle.operators import operator_of
from tests.oracle.relational import Gatherer, Sources, filled, holds_time
from tests.oracle.selection import Item, Selection, instant_sql, timed
from tests.oracle.sorting import directions, limit_of, ranked
from tests.oracle.streams import Stream
from tests.values import Row

NEW = "'<<new>>'"


class Relational(Selection):
    """A SELECT over windows, as a relation at each moment."""

    def __init__(self, select: exp.Select, items: list[Item], engine: Engine, leaves: list[Leaf]) -> None:
        super().__init__(select, items, engine)
        self.leaves = leaves
        self.operator = operator_of(select)
        self.order, self.limit = directions(select.args.get("order")), limit_of(select)
        self.together = jump_together(leaves)
        self.top = bool(self.order) and self.limit is not None and (self.together or bool(self.operator))
        self.hidden, self.frequency = self.partition_columns(select.meta.get("frequency"))
        # nothing says how the rows of a derived relation stand, nor, then, what comes behind it in FROM
        self.placed = list(takewhile(lambda item: item.table, items))
        self.cache: dict[str, list[Row]] = {}
        self.sql = self.template()
        self.columns = engine.columns(self.fill([() for _ in leaves], None))
        self.width = len(self.projections) + len(self.hidden)

    @property
    def time_columns(self) -> set[int]:
        """The columns that tell the time of the answer, which is no part of the relation."""
        names = {(i.alias.lower(), n) for i in self.items for n in i.node.meta.get("times", ())}
        found = set()
        for at, p in enumerate(self.projections):
            plain = p.unalias()
            if holds_time(plain) or (plain.name.lower() in {n for _, n in names} and is_of(plain, names)):
                found.add(at)
        return found

    def template(self) -> str:
        tree = self.select.copy()
        for key in ("order", "limit", "distinct", "hint"):
            tree.set(key, None)
        ranks = [self.resolved(o.this, inputs_first=False) for o in self.order] if self.top else []
        places = [f"{quoted(i.alias)}.{ORDER}" for i in self.placed]
        outputs = self.outputs()
        outputs += [exp.alias_(h.copy(), f"__p{i}") for i, h in enumerate(self.hidden)]
        outputs += [exp.alias_(r.copy(), f"__o{i}") for i, r in enumerate(ranks)]
        if self.aggregate:
            outputs += [exp.alias_(k.copy(), f"__g{i}") for i, k in enumerate(self.keys)]
            outputs.append(exp.alias_(duck(f"BOOL_OR({self.identity()} IN ({NEW}))"), "__new"))
            if self.keys:
                tree.set("group", exp.Group(expressions=[k.copy() for k in self.keys]))
        else:
            outputs += [exp.alias_(duck(p), f"__k{i}") for i, p in enumerate(places)]
        tree.set("expressions", outputs)
        return self.finished(tree, places)

    def identity(self) -> str:
        """The tuples that a row of FROM and WHERE comes from, as text."""
        parts = [f"COALESCE(CAST({quoted(i.alias)}.{ORDER} AS VARCHAR), '-')" for i in self.placed]
        return " || '/' || ".join(parts) or "''"

    def identities(self) -> str:
        """The SQL of the identities of P, the relation after FROM and WHERE."""
        tree = self.select.copy()
        for key in ("order", "limit", "distinct", "hint", "group", "having"):
            tree.set(key, None)
        tree.set("expressions", [exp.alias_(duck(self.identity()), "__id")])
        return self.finished(tree, [])

    def finished(self, tree: exp.Expr, places: list[str]) -> str:
        first = self.leaves[0].stream
        return sql_of(timed(translate(tree, places), first.times is None, first.time_type))

    def fill(self, contents: Any, time: int | None, new: Sequence[str] = (), sql: str = "") -> str:
        instant = instant_sql(time, self.leaves[0].stream.time_type)
        chosen = ", ".join(f"'{n}'" for n in new) or "NULL"
        return filled(sql or self.sql, tuple(contents), instant).replace(NEW, chosen)

    def asked(self, sql: str) -> list[Row]:
        if sql not in self.cache:
            self.cache[sql] = sorted(self.engine.rows(sql), key=repr)  # where nothing orders them
        return self.cache[sql]

    def rows(self, contents: Contents, time: int, new: Sequence[str] = ()) -> list[Found]:
        """All rows of the evaluation, in order; DISTINCT and the top n are still to come."""
        cut = self.width + (len(self.order) if self.top else 0)
        found = []
        for row in self.asked(self.fill(contents, time, new)):
            place = row[cut:-1] if self.aggregate else row[cut:]
            fresh = bool(row[-1]) if self.aggregate else True
            found.append(Found(row[: self.width], row[self.width : cut], place, self.aggregate, fresh))
        return in_order(found)

    def relation(self, contents: Contents, time: int) -> tuple[list[Found], bool]:
        """R at a moment, and whether the order of its rows is determined by their rank."""
        rows = self.rows(contents, time)
        if self.select.args.get("distinct"):
            rows = list({repr(f.values): f for f in reversed(rows)}.values())[::-1]
            rows = in_order(rows)
        if not self.top:
            return rows, determined(rows)
        marked = [(*f.values, i) for i, f in enumerate(rows)]
        kept, unique = ranked(marked, [f.ranks for f in rows], self.order, self.limit)
        return [rows[r[-1]] for r in kept], unique

    def answer(self) -> Stream:
        made = Answering(self.leaves)
        if self.operator:
            self.streamed(made)
        elif self.together:
            for moment in evaluations(self.leaves):
                made.add(moment, *self.relation(moment.contents, moment.time))
        elif self.aggregate:
            self.new_groups(made)
        else:
            self.new_rows(made)
        result = made.stream(self.columns[: self.width], True)
        if self.frequency is not None:
            result = thinned(result, self.frequency)
        visible = len(self.projections)
        rows = [row[:visible] for row in result.rows]
        result = Stream(
            self.columns[:visible], rows, result.times, result.time_type, result.ordered, answer=True
        )
        if (self.order or self.limit is not None) and not self.top:
            return whole_order(result, self.projections, self.order, self.limit)
        return result

    def streamed(self, made: Answering) -> None:
        """ISTREAM, DSTREAM, RSTREAM: differences between the relation of an instant and the one before it."""
        before: Contents | None = None
        for moment in instants(self.leaves):
            now, unique = self.relation(moment.contents, moment.time)
            if self.operator == "RSTREAM":
                made.add(moment, now, unique)
                continue
            old, _ = self.relation(before, moment.time) if before is not None else ([], True)
            pair = (now, old) if self.operator == "ISTREAM" else (old, now)
            rows, same = difference(*pair, self.time_columns)
            made.add(moment, rows, same and (determined(rows) if not self.top else unique))
            before = moment.contents

    def new_rows(self, made: Answering) -> None:
        """The rows whose tuples did not make a row at the evaluation before; DISTINCT: nor does an older row."""
        distinct = bool(self.select.args.get("distinct"))
        before: set[Row] = set()
        for moment in evaluations(self.leaves):
            rows = self.rows(moment.contents, moment.time)
            new = [f for f in rows if f.place not in before]
            if distinct:
                shown = {repr(f.values) for f in rows if f.place in before}
                first: dict[str, Found] = {}
                for f in new:
                    if repr(f.values) not in shown:
                        first.setdefault(repr(f.values), f)
                new = list(first.values())
            made.add(moment, new, determined(new))
            before = {f.place for f in rows}

    def new_groups(self, made: Answering) -> None:
        """The rows of the groups that got new rows."""
        if self.select.args.get("distinct"):
            raise NotCovered("SELECT DISTINCT of sliding aggregates")
        sql = self.identities()
        before: set[str] = set()
        for moment in evaluations(self.leaves):
            now = {row[0] for row in self.asked(self.fill(moment.contents, moment.time, sql=sql))}
            new = sorted(now - before)
            rows = [f for f in self.rows(moment.contents, moment.time, new) if f.new] if new else []
            made.add(moment, rows, determined(rows))
            before = now


def is_of(column: exp.Expr, names: set[tuple[str, str]]) -> bool:
    return isinstance(column, exp.Column) and any(
        n == column.name.lower() and column.table.lower() in ("", alias) for alias, n in names
    )


def select_answer(select: exp.Select, given: Sources) -> Stream:
    """A block over several streams, or with an operator."""
    tree = select.copy()
    joins = tree.args.get("joins") or []
    if any(j.kind in ("SEMI", "ANTI") or j.method for j in joins):
        raise NotCovered("natural, semi and anti joins")
    gatherer = Gatherer(given, relational=bool(operator_of(select)))
    items = gatherer.top(tree)
    leaves = gatherer.leaves
    if not leaves:
        raise NotCovered("no stream in a block with an operator")
    check_together(leaves, operator_of(select))
    if any(leaf.frequency and leaf.frequency.partition_by for leaf in leaves):
        raise NotCovered("partitioned jumps")
    result = Relational(tree, items, given.engine, leaves).answer()
    result.ordered = result.ordered and gatherer.ordered
    return result
