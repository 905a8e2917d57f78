"""A query block that calls our aggregates without OVER: base calls, and calls over the windows of brackets (§9).

What the contract leaves to be read:
- Without a window: when an aggregate of the SELECT is blocking, the block answers once, with all that is returned for
  each group; when none is, it answers for each tuple, as over [Range Unbounded].
- A sliding window: each group has one instance; rows that leave the window EXPIRE, whichever group's tuple came;
  the answer is what the group's last new row returned. [Range Unbounded] runs the base version, with TERMINATE after each row.
- A jump runs the base version, or else the WINDOW version, afresh over the group's rows; as in every window call, what
  the last row and TERMINATE return is the answer.
- No rows: no section runs and nothing is returned, so there is no row, also without GROUP BY and beside COUNT(*).
- The row is the product of what the calls return; only one of them may have other than one value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from sqlglot import exp

from tests.oracle.block import Block, fill
from tests.oracle.dialect import WRAPPERS, duck, is_aggregate, sql_of, translate
from tests.oracle.dispatch import Fresh, Running, arguments_of, casts, check_counts, checked
from tests.oracle.engine import ORDER, quoted
from tests.oracle.errors import NotCovered
from tests.oracle.instances import Program
from tests.oracle.registry import Registry
from tests.oracle.selection import instant_sql, numbers, timed
from tests.oracle.sorting import ranked, same_expression
from tests.oracle.storage import kept
from tests.oracle.streams import Stream, null_first
from tests.oracle.windows import Evaluation, evaluations
from tests.slt import Column
from tests.values import Row


@dataclass
class Group:
    key: Row
    rows: dict[int, Row] = field(default_factory=dict)  # by their number: the row of the feed
    new: list[int] = field(default_factory=list)


@dataclass
class GroupCall:
    """One call; `at` is the place of its arguments in the rows of the feed."""

    program: Program
    at: int
    mode: str  # running, over, whole
    instances: dict[str, Running] = field(default_factory=dict)
    scratch: Fresh | None = None

    def arguments(self, row: Row) -> Row:
        return tuple(row[self.at : self.at + len(self.program.definition.arguments)])

    def leave(self, groups: dict[str, Group]) -> None:
        for key, instance in self.instances.items():
            rows = groups[key].rows if key in groups else {}
            for place in [p for p in instance.present if p not in rows]:
                instance.leave(place)

    def result(self, key: str, group: Group) -> list[Any]:
        if self.mode == "running":
            if key not in self.instances:
                self.instances[key] = Running(self.program)
            instance, returned = self.instances[key], []
            for place in group.new:
                returned = instance.arrive(place, self.arguments(group.rows[place]))
            return returned
        self.scratch = self.scratch or Fresh(self.program)
        tuples = [self.arguments(group.rows[place]) for place in sorted(group.rows)]
        return self.scratch.whole(tuples) if self.mode == "whole" else self.scratch.over(tuples)


@dataclass
class CallBlock(Block):
    registry: Registry
    once: bool  # no window, and something is blocking: one answer over all rows
    group_calls: list[GroupCall] = field(default_factory=list)
    places: dict[Row, int] = field(default_factory=dict)  # the rows of P, numbered as they are met

    def __post_init__(self) -> None:
        super().__post_init__()
        self.aggregate = True

    def evaluations(self) -> tuple[Stream, list[Evaluation]]:
        stream = self.streamed.stream
        if not self.once:
            assert self.streamed.clause is not None
            return evaluations(stream, self.streamed.clause)
        bare = Stream(stream.columns, stream.rows, None, "", stream.ordered)
        return bare, [Evaluation(None, tuple(range(len(stream.rows))), None)]

    def answer(self) -> Stream:
        result = super().answer()
        return Stream(result.columns, result.rows, None, "", result.ordered) if self.once else result

    def template(self, stream: Stream, hidden: list[exp.Expr], ranks: list[exp.Expr]) -> str:
        """The SELECT list over a table with the keys, the values of the built-in aggregates and of our calls."""
        outputs = self.outputs()
        outputs += [exp.alias_(h.copy(), f"__p{i}") for i, h in enumerate(hidden)]
        outputs += [exp.alias_(r.copy(), f"__o{i}") for i, r in enumerate(ranks)]
        having = self.select.args.get("having")
        self.calls: list[exp.Expr] = []
        self.built_in: list[exp.Expr] = []
        root = exp.Tuple(expressions=[*outputs, *([having.this.copy()] if having else [])])
        self.cut(root)
        self.feed = self.feed_sql()
        sums = [exp.alias_(a.copy(), f"a{i}") for i, a in enumerate(self.built_in)]
        self.sums = self.sql_over(sums, grouped=True) if sums else ""
        fed = self.engine.columns(fill(self.feed, "NULL", "NULL", "NULL"))
        self.columns = fed[: len(self.keys)]
        if self.sums:
            self.columns += self.engine.columns(fill(self.sums, "NULL", "NULL", "NULL"))[len(self.keys) :]
        returned = [
            Column(f"u{i}", kept(c.program.definition.returns)) for i, c in enumerate(self.group_calls)
        ]
        self.columns += returned
        self.table = self.engine.table(self.columns, [])
        condition = f" WHERE {sql_of(translate(root.expressions.pop(), []))}" if having else ""
        select = ", ".join(
            sql_of(timed(translate(o, []), stream.times is None, stream.time_type)) for o in root.expressions
        )
        return f"SELECT {select} FROM {self.table}{condition} ORDER BY {ORDER}"

    def cut(self, node: exp.Expr) -> None:
        """Puts columns in the places of keys, built-in aggregates and calls."""
        for child in list(node.iter_expressions()):
            inner = child.this if isinstance(child, exp.Filter) else child
            key = next((i for i, k in enumerate(self.keys) if same_expression(k, child)), None)
            if inner.meta.get("uda"):
                child.replace(exp.column(f"u{self.call(inner.meta['uda'], child)}"))
            elif key is not None:
                child.replace(exp.column(f"g{key}"))
            elif is_aggregate(child) or isinstance(child, WRAPPERS):
                self.built_in.append(child.copy())
                child.replace(exp.column(f"a{len(self.built_in) - 1}"))
            elif isinstance(child, exp.Column):
                raise NotCovered(f"{child.sql()} is neither grouped nor aggregated")
            else:
                self.cut(child)

    def call(self, name: str, node: exp.Expr) -> int:
        program, mode = self.chosen(self.registry.base.get(name), self.registry.window.get(name))
        checked(program, node)
        at = len(self.keys) + sum(len(arguments_of(c)) for c in self.calls)
        self.calls.append(node.copy())
        self.group_calls.append(GroupCall(program, at, mode))
        return len(self.calls) - 1

    def chosen(self, base: Program | None, window: Program | None) -> tuple[Program, str]:
        clause = self.streamed.clause
        assert clause is not None
        unbounded = clause.window is None or clause.window.kind == "unbounded"
        if self.once or clause.jumping:
            program, mode = base or window, "whole" if self.once else "over"
        elif unbounded:
            program, mode = base or window, "running"
        else:
            program, mode = window or base, "running" if window else "over"
        assert program is not None
        return program, mode

    def feed_sql(self) -> str:
        """The keys, the arguments of the calls, and the tuples from which a row comes."""
        outputs: list[exp.Expr] = []
        for call in self.calls:
            outputs += [g.copy() for g in arguments_of(call)]
        bare = self.sql_over([exp.alias_(o.copy(), f"x{i}") for i, o in enumerate(outputs)], grouped=False)
        types = [c.type for c in self.engine.columns(fill(bare, "NULL", "NULL", "NULL"))]
        for made in self.group_calls:
            first = made.at - len(self.keys)
            for i, cast in enumerate(casts(made.program, types[made.at :])):
                outputs[first + i] = duck(cast(sql_of(translate(outputs[first + i], []))))
        return self.sql_over([exp.alias_(o, f"x{i}") for i, o in enumerate(outputs)], grouped=False)

    def sql_over(self, outputs: list[exp.Expr], grouped: bool) -> str:
        """A SELECT of the keys and these outputs over FROM and WHERE; ungrouped, with the places of the tuples."""
        order = [f"{quoted(i.alias)}.{ORDER}" for i in self.items]
        select = self.select.copy()
        for part in ("order", "limit", "distinct", "hint", "group", "having"):
            select.set(part, None)
        tree = self.with_sources(select)
        keys = [exp.alias_(k.copy(), f"g{i}") for i, k in enumerate(self.keys)]
        places = [] if grouped else [exp.alias_(duck(o), f"__k{i}") for i, o in enumerate(order)]
        tree.set("expressions", [*keys, *outputs, *places])
        if grouped and self.keys:
            tree.set("group", exp.Group(expressions=[k.copy() for k in self.keys]))
        return sql_of(translate(tree, order))

    def evaluate(
        self,
        template: str,
        stream: Stream,
        point: Evaluation,
        shape: list[int],
        order: list[exp.Ordered],
        limit: int | None,
    ) -> tuple[list[Row], bool]:
        if self.select.args.get("distinct"):
            raise NotCovered("SELECT DISTINCT of calls")
        window = numbers(point.window)
        groups = self.groups(point, window)
        for call in self.group_calls:
            call.leave(groups)
        sums: dict[str, Row] = {}
        if self.sums:
            for row in self.engine.rows(fill(self.sums, window, "NULL", "NULL")):
                sums[repr(row[: len(self.keys)])] = row[len(self.keys) :]
        found: list[Row] = []
        answering = [g for g in groups.values() if (g.rows if point.new is None else g.new)]
        for group in sorted(answering, key=lambda g: tuple(map(null_first, g.key))):
            key = repr(group.key)
            values = [call.result(key, group) for call in self.group_calls]
            check_counts(values)
            found += [(*group.key, *sums.get(key, ()), *v) for v in product(*values)]
        self.table = self.engine.table(self.columns, found, self.table)
        instant = instant_sql(point.instant, stream.time_type)
        rows = self.engine.rows(fill(template, window, "NULL", instant))
        determined = not (self.once and self.keys)
        if not order:
            return rows, determined
        visible = [r[: shape[0]] for r in rows]
        return ranked(visible, [r[shape[0] : shape[0] + shape[1]] for r in rows], order, limit)

    def groups(self, point: Evaluation, window: str) -> dict[str, Group]:
        """The rows of P by their keys; without GROUP BY there is one group, also when nothing is in it."""
        width = len(self.items)
        streamed = self.items.index(self.streamed)

        def order(row: Row) -> tuple[Any, ...]:
            places = row[-width:]
            return null_first(places[streamed]), *map(null_first, places)

        fed = sorted(self.engine.rows(fill(self.feed, window, "NULL", "NULL")), key=order)
        found: dict[str, Group] = {} if self.keys else {repr(()): Group(())}
        for row in fed:
            key = row[: len(self.keys)]
            group = found.setdefault(repr(key), Group(key))
            place = self.places.setdefault(row[-width:], len(self.places))
            group.rows[place] = row
            if point.new is not None and row[-width:][streamed] in point.new:
                group.new.append(place)
        return found
