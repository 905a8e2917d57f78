"""Spark expressions in DuckDB's words, where the two differ in meaning.

Aggregates that see the order of their rows (first, last, collect_list, …) are given the window's order.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from tests.oracle.errors import NotCovered

RENAMED = {"EVERY": "BOOL_AND", "SOME": "BOOL_OR", "STD": "STDDEV", "MEAN": "AVG"}
UNLIKE = (
    exp.ApproxDistinct,
    exp.ApproxQuantile,
    exp.Kurtosis,
    exp.Skewness,
    exp.Mode,
    exp.GroupConcat,
    exp.Grouping,
    exp.WithinGroup,
)
IN_PLAIN_WINDOWS = (
    exp.Sum,
    exp.Count,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.Lag,
    exp.Lead,
)
WRAPPERS = (exp.Filter, exp.IgnoreNulls)
FIRSTS = (exp.First, exp.FirstValue, exp.AnyValue)
LASTS = (exp.Last, exp.LastValue)


def is_aggregate(node: exp.Expr) -> bool:
    """A built-in aggregate; one that is written in SQL may have the name of one."""
    if node.meta.get("uda"):
        return False
    return isinstance(node, exp.AggFunc) or (isinstance(node, exp.Anonymous) and node.name.upper() in RENAMED)


def has_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate stands in this expression, outside its subqueries and window functions."""
    if isinstance(node, exp.Query | exp.Window):
        return False
    return is_aggregate(node) or any(has_aggregate(child) for child in node.iter_expressions())


def sql_of(node: exp.Expr) -> str:
    return node.sql(dialect="duckdb")


def duck(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="duckdb")


def translate(node: exp.Expr, order: Sequence[str]) -> exp.Expr:
    """The tree for DuckDB; `order` are the columns that give the order of the window."""
    if isinstance(node, exp.Window) and not isinstance(node.this, IN_PLAIN_WINDOWS):
        raise NotCovered(f"{node.sql()} may have another meaning in DuckDB")
    fresh = node.copy()
    for child in list(fresh.iter_expressions()):
        translated = translate(child, order)
        child.replace(translated)
    if isinstance(fresh, UNLIKE):
        raise NotCovered(f"{node.sql()} has another meaning in DuckDB")
    inside = isinstance(node.parent, WRAPPERS) and node.arg_key == "this"
    if (isinstance(fresh, WRAPPERS) and not inside) or (is_aggregate(fresh) and not inside):
        return aggregate(fresh, order)
    if isinstance(fresh, exp.Ceil | exp.Floor):
        return exp.cast(fresh, "BIGINT")
    return fresh


def aggregate(node: exp.Expr, order: Sequence[str]) -> exp.Expr:
    """An aggregate with its FILTER and IGNORE NULLS, arguments already translated."""
    condition: exp.Expr | None = None
    ignore_nulls = False
    e = node
    while isinstance(e, WRAPPERS):
        if isinstance(e, exp.Filter):
            condition = e.expression.this
        else:
            ignore_nulls = True
        e = e.this
    conditions = [f"({sql_of(condition)})"] if condition is not None else []
    value = sql_of(e.this) if isinstance(e.this, exp.Expr) else ""

    def where(*more: str) -> str:
        every = [*conditions, *more]
        return f" FILTER (WHERE {' AND '.join(every)})" if every else ""

    def values(by: str, skip_nulls: bool) -> str:
        return f"LIST({value} ORDER BY {by}){where(f'({value}) IS NOT NULL') if skip_nulls else where()}"

    def in_order() -> str:
        if not order:
            raise NotCovered(f"{node.sql()} needs an order")
        return ", ".join(f"{o} NULLS FIRST" for o in order)

    if isinstance(e, (*FIRSTS, *LASTS)):
        at = 1 if isinstance(e, FIRSTS) else -1
        return duck(f"({values(in_order(), ignore_nulls)})[{at}]")
    if isinstance(e, exp.ArgMax | exp.ArgMin):
        by = sql_of(e.expression)
        conditions.append(f"({by}) IS NOT NULL")
        return duck(f"({values(by + (' DESC' if isinstance(e, exp.ArgMax) else ' ASC'), False)})[1]")
    if isinstance(e, exp.ArrayAgg) and not isinstance(e.this, exp.Distinct):
        return duck(f"COALESCE({values(in_order(), True)}, [])")
    if isinstance(e, exp.ArrayUniqueAgg):  # without an order: to be used below sort_array
        return duck(f"COALESCE(LIST(DISTINCT {value}){where(f'({value}) IS NOT NULL')}, [])")
    if isinstance(e, exp.Quantile | exp.Median):
        share = sql_of(e.args["quantile"]) if isinstance(e, exp.Quantile) else "0.5"
        return duck(f"QUANTILE_CONT(CAST({value} AS DOUBLE), {share}){where()}")
    if isinstance(e, exp.CountIf):
        return duck(f"COUNT(*){where(value)}")
    if isinstance(e, exp.Anonymous):
        return duck(f"{RENAMED[e.name.upper()]}({', '.join(map(sql_of, e.expressions))}){where()}")
    if isinstance(e, exp.ArrayAgg) or ignore_nulls:
        raise NotCovered(node.sql())
    return node
