"""One query block over one windowed stream and any number of tables (semantics §4, §5, and joins of §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tests.oracle.clauses import Frequency
from tests.oracle.dialect import duck, sql_of, translate
from tests.oracle.engine import ORDER, quoted
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.selection import INSTANT, Selection, instant_sql, numbers, timed
from tests.oracle.sorting import directions, limit_of, output_position, ranked
from tests.oracle.streams import Stream, null_first
from tests.oracle.windows import Evaluation, evaluations, sample
from tests.values import Row

WINDOW, NEW = "'<<window>>'", "'<<new>>'"  # places in the block's SQL


@dataclass
class Block(Selection):
    def __post_init__(self) -> None:
        self.streamed = next(i for i in self.items if i.clause is not None)
        super().__post_init__()

    def evaluations(self) -> tuple[Stream, list[Evaluation]]:
        assert self.streamed.clause is not None
        return evaluations(self.streamed.stream, self.streamed.clause)

    def answer(self) -> Stream:
        clause = self.streamed.clause
        assert clause is not None
        stream, points = self.evaluations()
        for item in self.items:
            source = stream if item is self.streamed else item.stream
            item.table = self.engine.table(source.columns, source.rows)
        order, limit = directions(self.select.args.get("order")), limit_of(self.select)
        per_evaluation = clause.jumping and bool(order) and limit is not None
        frequency = self.select.meta.get("frequency")
        hidden, frequency = self.partition_columns(frequency)
        ranks = [self.resolved(o.this, inputs_first=False) for o in order] if per_evaluation else []
        template = self.template(stream, hidden, ranks)
        columns = self.engine.columns(fill(template, "NULL", "NULL", "NULL"))
        visible = len(self.projections)
        shape = [visible + len(hidden), len(ranks), len(columns) - visible - len(hidden) - len(ranks)]
        rows: list[Row] = []
        times: list[int] | None = [] if stream.times is not None else None
        ordered = stream.ordered and all(i.stream.ordered for i in self.items)
        for point in points:
            found, determined = self.evaluate(template, stream, point, shape, order if ranks else [], limit)
            ordered = ordered and determined
            rows += found
            if times is not None and point.instant is not None:
                times += [point.instant] * len(found)
        result = Stream(columns[: shape[0]], rows, times, stream.time_type, ordered)
        if frequency is not None:
            result = thinned(result, frequency)
        rows = [r[:visible] for r in result.rows]
        result = Stream(columns[:visible], rows, result.times, result.time_type, ordered, answer=True)
        if (order or limit is not None) and not per_evaluation:
            return whole_order(result, self.projections, order, limit)
        return result

    def template(self, stream: Stream, hidden: list[exp.Expr], ranks: list[exp.Expr]) -> str:
        """The block's SQL over the tuples of one window, with hidden columns behind the visible ones."""
        order = [f"{quoted(i.alias)}.{ORDER}" for i in self.items]
        select = self.select.copy()
        for key in ("order", "limit", "distinct", "hint"):
            select.set(key, None)
        tree = self.with_sources(select)
        outputs = self.outputs()
        outputs += [exp.alias_(h.copy(), f"__p{i}") for i, h in enumerate(hidden)]
        outputs += [exp.alias_(r.copy(), f"__o{i}") for i, r in enumerate(ranks)]
        if self.aggregate:
            outputs += [exp.alias_(k.copy(), f"__g{i}") for i, k in enumerate(self.keys)]
            new = f"BOOL_OR({quoted(self.streamed.alias)}.{ORDER} IN ({NEW}))"
            outputs.append(exp.alias_(duck(new), "__new"))
            if self.keys:
                tree.set("group", exp.Group(expressions=[k.copy() for k in self.keys]))
        else:
            outputs += [exp.alias_(duck(o), f"__k{i}") for i, o in enumerate(order)]
        tree.set("expressions", outputs)
        return sql_of(timed(translate(tree, order), stream.times is None, stream.time_type))

    def with_sources(self, select: exp.Select) -> exp.Select:
        """FROM over the items' tables: the stream's cut to the window."""
        nodes = [select.args["from_"].this, *(j.this for j in select.args.get("joins") or [])]
        for node, item in zip(nodes, self.items, strict=True):
            cut = f" WHERE {ORDER} IN ({WINDOW})" if item is self.streamed else ""
            source = duck(f"SELECT * FROM (SELECT * FROM {quoted(item.table)}{cut}) AS {quoted(item.alias)}")
            node.replace(source.args["from_"].this)
        return select

    def evaluate(
        self,
        template: str,
        stream: Stream,
        point: Evaluation,
        shape: list[int],
        order: list[exp.Ordered],
        limit: int | None,
    ) -> tuple[list[Row], bool]:
        """The rows of one evaluation, in answer order, and whether that order is determined."""
        instant = instant_sql(point.instant, stream.time_type)
        raw = self.engine.rows(fill(template, numbers(point.window), numbers(point.new or ()), instant))
        split = [(r[: shape[0]], r[shape[0] : shape[0] + shape[1]], r[shape[0] + shape[1] :]) for r in raw]
        distinct = bool(self.select.args.get("distinct"))
        if self.aggregate:
            if point.new is not None:
                if distinct:
                    raise NotCovered("SELECT DISTINCT of sliding aggregates")
                split = [s for s in split if s[2][-1]]
            split.sort(key=lambda s: tuple(null_first(k) for k in s[2][:-1]))
        else:
            split.sort(key=lambda s: tuple(null_first(k) for k in s[2]))
            if point.new is not None:
                place = self.items.index(self.streamed)
                new = set(point.new)
                held = {repr(s[0]) for s in split if s[2][place] not in new}
                split = [s for s in split if s[2][place] in new and not (distinct and repr(s[0]) in held)]
        if distinct:
            first: dict[str, Any] = {}
            for s in split:
                first.setdefault(repr(s[0]), s)
            split = list(first.values())
        rows = [s[0] for s in split]
        return ranked(rows, [s[1] for s in split], order, limit) if order else (rows, True)


def thinned(stream: Stream, frequency: Frequency) -> Stream:
    if stream.times is None and not frequency.length.by_tuples:
        raise Refused(
            "CSQL_TIME_COLUMN_MISSING", "a time frequency on a latent answer", frequency.length.position
        )
    kept = sample(stream, frequency)
    times = [stream.time(i) for i in kept] if stream.times is not None else None
    return Stream(stream.columns, [stream.rows[i] for i in kept], times, stream.time_type, stream.ordered)


def whole_order(
    result: Stream, projections: list[exp.Expr], order: list[exp.Ordered], limit: int | None
) -> Stream:
    """Plain ORDER BY and LIMIT on a whole answer; what comes out is no stream any more."""
    positions = [output_position(o.this, projections) for o in order]
    if any(p is None for p in positions):
        raise NotCovered("ORDER BY what is not in the SELECT list")
    keys: list[tuple[Any, ...]] = [tuple(row[p] for p in positions if p is not None) for row in result.rows]
    rows, unique = ranked(result.rows, keys, order, limit)
    return Stream(result.columns, rows, None, "", unique)


def fill(template: str, window: str, new: str, instant: str) -> str:
    return template.replace(WINDOW, window).replace(NEW, new).replace(INSTANT, instant)
