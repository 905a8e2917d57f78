"""The SELECT of a block: its columns, its keys, and the places in its SQL that each evaluation fills."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from tests.oracle.clauses import Clause, Frequency
from tests.oracle.dialect import duck, has_aggregate
from tests.oracle.engine import Engine
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.sorting import output_position
from tests.oracle.streams import TIMESTAMPS, Stream, value_of
from tests.values import render

INSTANT = "'<<instant>>'"


@dataclass
class Item:
    """A FROM item: its rows, and its clause if it is a windowed stream."""

    node: exp.Expr
    alias: str
    stream: Stream
    clause: Clause | None
    table: str = ""


@dataclass
class Selection:
    select: exp.Select
    items: list[Item]
    engine: Engine
    projections: list[exp.Expr] = field(init=False)
    keys: list[exp.Expr] = field(init=False)
    aggregate: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.select.args.get("windows") or self.select.args.get("laterals"):
            raise NotCovered("WINDOW or LATERAL VIEW in a windowed block")
        if any(e.find(exp.Window) for e in self.select.expressions):
            raise NotCovered("window functions in a windowed block")
        self.projections = [p for given in self.select.expressions for p in self.expanded(given)]
        group = self.select.args.get("group")
        if (
            group
            and (set(group.args) - {"expressions"})
            and any(group.args.get(k) for k in group.args if k != "expressions")
        ):
            raise NotCovered("grouping sets")
        self.keys = [self.resolved(e, inputs_first=True) for e in (group.expressions if group else [])]
        having = self.select.args.get("having")
        self.aggregate = bool(group) or having is not None or any(map(has_aggregate, self.projections))

    def expanded(self, projection: exp.Expr) -> list[exp.Expr]:
        """* and t.* as columns."""
        if isinstance(projection, exp.Star) or (isinstance(projection, exp.Column) and projection.is_star):
            if any(projection.args.get(k) for k in ("except_", "except", "replace", "rename")):
                raise NotCovered("* with exceptions")
            if any(j.args.get("using") for j in self.select.args.get("joins") or []):
                raise NotCovered("* over USING")
            table = projection.table if isinstance(projection, exp.Column) else ""
            chosen = [i for i in self.items if not table or i.alias.lower() == table.lower()]
            return [exp.column(c.name, i.alias, quoted=True) for i in chosen for c in i.stream.columns]
        return [projection]

    def resolved(self, e: exp.Expr, inputs_first: bool) -> exp.Expr:
        """An expression of GROUP BY or ORDER BY that may name a column of the SELECT list."""
        is_input = isinstance(e, exp.Column) and any(e.name.lower() in i.stream.names for i in self.items)
        if inputs_first and is_input:
            return e
        position = output_position(e, self.projections)
        return e if position is None else self.projections[position].unalias()

    def outputs(self) -> list[exp.Expr]:
        """The SELECT list, every column with a name."""
        return [
            exp.alias_(p.unalias().copy(), p.alias_or_name or f"_c{i}", quoted=True)
            for i, p in enumerate(self.projections)
        ]

    def partition_columns(self, frequency: Frequency | None) -> tuple[list[exp.Expr], Frequency | None]:
        """The partition columns of the answer frequency as hidden columns __p0, __p1, …"""
        if frequency is None:
            return [], None
        hidden = []
        for name in frequency.partition_by:
            position = output_position(exp.column(name), self.projections)
            if position is not None:
                hidden.append(self.projections[position].unalias())
                continue
            inputs = [
                exp.column(c.name, i.alias, quoted=True)
                for i in self.items
                for c in i.stream.columns
                if c.name.lower() == name.lower()
            ]
            determined = not self.aggregate or any(k.name.lower() == name.lower() for k in self.keys)
            if not inputs or not determined or self.select.args.get("distinct"):
                raise Refused("CSQL_COLUMN_NOT_FOUND", f"no column {name} in the answer")
            hidden.append(inputs[0])
        return hidden, replace(frequency, partition_by=tuple(f"__p{i}" for i in range(len(hidden))))


def timed(tree: exp.Expr, latent: bool, time_type: str) -> exp.Expr:
    """evaluation_time() as a constant that each evaluation fills in."""
    for call in list(tree.find_all(exp.Anonymous)):
        if call.name.lower() == "evaluation_time":
            if latent:
                raise Refused("CSQL_EVALUATION_TIME", "evaluation_time() on a latent stream")
            kind = {"DATE": "DATE", "INTEGER": "BIGINT"}.get(time_type, "TIMESTAMP")
            call.replace(duck(f"CAST({INSTANT} AS {kind})"))
    return tree


def instant_sql(instant: int | None, time_type: str) -> str:
    if instant is None:
        return "NULL"
    value = value_of(instant, time_type)
    return f"'{render(value)}'" if time_type in (*TIMESTAMPS, "DATE") else str(value)


def numbers(indexes: tuple[int, ...]) -> str:
    return ", ".join(map(str, indexes)) or "NULL"
