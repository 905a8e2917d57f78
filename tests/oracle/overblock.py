"""A query block with OVER on a stream: one row per tuple, fewer with SLIDE, more with ACTIVE EXPIRATION (§8).

What the contract leaves to be read:
- WHERE and joins come before OVER, as in SQL: windows are made of the rows that are left.
- Several OVERs: each SLIDE drops the rows of all tuples but its own yield tuples, so a row is left where every SLIDE
  of the query yields.
- A row of an expiry: the calls over the window that the tuple leaves are computed over what is left; all other
  columns, calls over other windows too, are those of the tuple's own row. SLIDE beside ACTIVE EXPIRATION in one
  query is refused: the tuple may have no row.
- ORDER BY with the declared time column changes nothing: the declared tie columns still hold.
- evaluation_time() is the tuple's time, or the instant of the expiry.
- A call of an aggregate written in SQL may return any number of values; the rows are the product of what the calls return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from sqlglot import exp

from tests.oracle.block import whole_order
from tests.oracle.dialect import duck, has_aggregate, sql_of, translate
from tests.oracle.dispatch import OverCall, check_counts, over_call
from tests.oracle.engine import ORDER, Engine, quoted
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.lift import over_of, plain_window, spark
from tests.oracle.over import Over, Spec
from tests.oracle.registry import Registry
from tests.oracle.selection import Item, numbers
from tests.oracle.slides import Event, Slides, events
from tests.oracle.sorting import directions, limit_of
from tests.oracle.storage import kept
from tests.oracle.streams import Stream, null_first, value_of
from tests.slt import Column
from tests.values import Row

INSTANT = "__at"
PLAIN_PARTS = ("group", "having", "distinct", "qualify", "windows", "laterals")


@dataclass
class Call:
    """One aggregate OVER its window; its value stands in the column `name` of the rows that are answered."""

    name: str
    slides: Slides
    value: exp.Expr  # the aggregate with its FILTER, over the columns of the rows
    type: str = ""
    ours: OverCall | None = None  # set when it is an aggregate written in SQL


@dataclass
class OverBlock:
    select: exp.Select
    items: list[Item]
    streamed: Item
    engine: Engine
    specs: dict[Over, Spec]  # OVERs that are not here are plain SQL
    registry: Registry
    columns: dict[tuple[str, str], str] = field(
        default_factory=dict
    )  # (alias, column) to the column of the rows
    rows: Stream = field(init=False)
    table: str = ""

    def answer(self) -> Stream:
        for part in PLAIN_PARTS:
            if self.select.args.get(part):
                raise NotCovered(f"{part} in a block with OVER")
        projections = [p for given in self.select.expressions for p in self.expanded(given)]
        self.collect_rows()
        named = [
            exp.alias_(p.unalias().copy(), p.alias_or_name or f"_c{i}", quoted=True)
            for i, p in enumerate(projections)
        ]
        outputs = [self.resolved(p) for p in named]
        calls = self.calls(outputs)
        self.check(calls)
        found = [
            (event, values)
            for event in events(self.rows, [c.slides for c in calls])
            for values in self.values(event, calls)
        ]
        result = self.projected(outputs, calls, found)
        order, limit = directions(self.select.args.get("order")), limit_of(self.select)
        return whole_order(result, projections, order, limit) if order or limit is not None else result

    def expanded(self, projection: exp.Expr) -> list[exp.Expr]:
        if isinstance(projection, exp.Star) or (isinstance(projection, exp.Column) and projection.is_star):
            table = projection.table.lower() if isinstance(projection, exp.Column) else ""
            chosen = [i for i in self.items if not table or i.alias.lower() == table]
            return [exp.column(c.name, i.alias, quoted=True) for i in chosen for c in i.stream.columns]
        return [projection]

    def collect_rows(self) -> None:
        """What FROM and WHERE leave, in the order of the stream, then of the other items of FROM."""
        tree = exp.Select(
            **{k: v for k, v in self.select.copy().args.items() if k in ("from_", "joins", "where")}
        )
        nodes = [tree.args["from_"].this, *(j.this for j in tree.args.get("joins") or [])]
        outputs: list[str] = []
        for node, item in zip(nodes, self.items, strict=True):
            table = self.engine.table(item.stream.columns, item.stream.rows)
            node.replace(duck(f"SELECT * FROM {quoted(table)} AS {quoted(item.alias)}").args["from_"].this)
            for column in item.stream.columns:
                name = f"c{len(outputs)}"
                self.columns[item.alias.lower(), column.name.lower()] = name
                outputs.append(f"{quoted(item.alias)}.{quoted(column.name)} AS {name}")
        others = [i for i in self.items if i is not self.streamed]
        places = [f"{quoted(i.alias)}.{ORDER}" for i in (self.streamed, *others)]
        tree.set("expressions", [duck(o) for o in (*outputs, *places)])
        sql = sql_of(translate(tree, []))
        described = self.engine.columns(sql)
        width = len(outputs)
        found = sorted(self.engine.rows(sql), key=lambda row: tuple(map(null_first, row[width:])))
        stream = self.streamed.stream
        times = [stream.time(row[width]) for row in found] if stream.times is not None else None
        columns, rows = described[:width], [row[:width] for row in found]
        self.rows = Stream(columns, rows, times, stream.time_type, stream.ordered)
        self.table = self.engine.table(columns, rows)

    def resolved(self, node: exp.Expr) -> exp.Expr:
        """The expression over the columns of the collected rows; plain OVERs become columns of their own."""
        tree = exp.Tuple(expressions=[node.copy()])  # so that every node has a parent
        for column in list(tree.find_all(exp.Column)):
            column.replace(exp.column(self.column_of(column)))
        for window in list(tree.find_all(exp.Window)):
            over = over_of(window)
            if over is not None and over not in self.specs:
                window.replace(exp.column(self.plain(window.this, over)))
        return tree.expressions[0]

    def column_of(self, column: exp.Column) -> str:
        found = [
            name
            for (alias, given), name in self.columns.items()
            if given == column.name.lower() and column.table.lower() in ("", alias)
        ]
        if len(found) != 1:
            raise NotCovered(f"which column is {column.sql()}?")
        return found[0]

    def plain(self, function: exp.Expr, over: Over) -> str:
        """SQL's own window function as one more column of the rows."""
        window = plain_window(over)
        for column in list(window.find_all(exp.Column)):
            column.replace(exp.column(self.column_of(column)))
        if over.parts.get("ROWS"):  # which of two peers is first is told by the stream
            window.args["order"].append("expressions", duck(ORDER))
        window.set("this", function.copy())
        sql = f"SELECT *, {sql_of(translate(window, []))} AS p FROM {self.table} ORDER BY {ORDER}"
        *columns, _, plain = self.engine.columns(sql)
        name = f"x{len(columns)}"
        rows = [(*row[: len(columns)], row[-1]) for row in self.engine.rows(sql)]
        self.rows = Stream(
            [*columns, Column(name, plain.type)],
            rows,
            self.rows.times,
            self.rows.time_type,
            self.rows.ordered,
        )
        self.table = self.engine.table(self.rows.columns, rows)
        return name

    def calls(self, outputs: list[exp.Expr]) -> list[Call]:
        """Our calls; in the outputs they become columns."""
        found: list[Call] = []
        for output in outputs:
            for window in list(output.find_all(exp.Window)):
                over = over_of(window)
                assert over is not None
                spec = self.specs[over]
                partitions = self.partitions(spec)
                found.append(self.call(f"w{len(found)}", window.this, Slides(spec, self.rows, partitions)))
                call = found[-1]
                window.replace(exp.column(call.name))
            if has_aggregate(output):
                raise NotCovered("aggregates beside OVER")
        return found

    def call(self, name: str, value: exp.Expr, slides: Slides) -> Call:
        versions = self.registry.versions(value, slides)
        if versions is not None:
            ours = over_call(value, slides, versions, self.engine, self.table)
            return Call(name, slides, value, kept(ours.program.definition.returns), ours)
        if not has_aggregate(value):
            raise NotCovered(f"{value.sql()} OVER")
        call = Call(name, slides, translate(value, [ORDER]))
        call.type = self.engine.columns(f"SELECT {sql_of(call.value)} AS v FROM {self.table}")[0].type
        return call

    def partitions(self, spec: Spec) -> list[Row]:
        """Each row's partition values."""
        if not spec.partition_by:
            return [()] * len(self.rows.rows)
        parsed = [self.resolved(spark(text)) for text in spec.partition_by]
        outputs = ", ".join(sql_of(translate(e, [])) for e in parsed)
        return self.engine.rows(f"SELECT {outputs} FROM {self.table} ORDER BY {ORDER}")

    def check(self, calls: Sequence[Call]) -> None:
        slide = any(c.slides.spec.slide for c in calls)
        active = next((c for c in calls if c.slides.spec.active), None)
        if slide and active:
            raise Refused(
                "CSQL_OVER_MIXED", "SLIDE and ACTIVE EXPIRATION in one query", active.slides.spec.position
            )

    def values(self, event: Event, calls: Sequence[Call]) -> list[Row]:
        """The values of the calls in the rows of this event."""
        if event.expired is None and not all(c.slides.yields(event.index) for c in calls):
            return []
        values = [self.value(event, call) for call in calls]
        check_counts(values)
        return list(product(*values))

    def value(self, event: Event, call: Call) -> list[Any]:
        left = event.expired is not None and call.slides.spec.active and call.slides.same == event.expired
        if call.ours is not None:
            return call.ours.expired[event.index] if left else call.ours.arrived[event.index]
        window = call.slides.after_expiry(event.index) if left else call.slides.at_arrival(event.index)
        sql = f"SELECT {sql_of(call.value)} FROM {self.table} WHERE {ORDER} IN ({numbers(tuple(window))})"
        return [self.engine.rows(sql)[0][0]]

    def projected(
        self, outputs: list[exp.Expr], calls: Sequence[Call], found: list[tuple[Event, Row]]
    ) -> Stream:
        """The SELECT list over the rows of the events."""
        kind = {"DATE": "DATE", "INTEGER": "BIGINT"}.get(self.rows.time_type, "TIMESTAMP")
        columns = [*self.rows.columns, *(Column(c.name, c.type) for c in calls), Column(INSTANT, kind)]
        latent = self.rows.times is None
        rows = []
        for event, values in found:
            at = None if event.instant is None else value_of(event.instant, self.rows.time_type)
            rows.append((*self.rows.rows[event.index], *values, at))
        table = self.engine.table(columns, rows)
        for output in outputs:
            for call in list(output.find_all(exp.Anonymous)):
                if call.name.lower() == "evaluation_time":
                    if latent:
                        raise Refused("CSQL_EVALUATION_TIME", "evaluation_time() on a latent stream")
                    call.replace(exp.column(INSTANT))
        select = ", ".join(sql_of(translate(o, [])) for o in outputs)
        sql = f"SELECT {select} FROM {table}"
        answered = self.engine.rows(f"{sql} ORDER BY {ORDER}")
        times = None if latent else [event.instant for event, _ in found if event.instant is not None]
        return Stream(
            self.engine.columns(sql), answered, times, self.rows.time_type, self.rows.ordered, answer=True
        )
