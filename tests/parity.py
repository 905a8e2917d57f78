"""Queries that every door must answer alike: cases of many kinds, as texts that need nothing but SQL."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.slt import CaseFile, Query, Relation, case_files
from tests.values import Row, difference, timestamp

HOW_MANY = 50
MARK = "@@"


@dataclass(frozen=True)
class Scene:
    """The relations of a case file as statements, and some of its queries."""

    label: str
    setup: list[str]
    queries: list[Query]
    clearing: list[str]


def scenes() -> list[Scene]:
    """HOW_MANY queries: the files take turns, each gives its queries from the first to the last."""
    files = [file for file in case_files() if all(r.kind != "aggregate" for r in file.relations.values())]
    taken: dict[str, list[Query]] = {file.label: [] for file in files}
    turns = (pair for turn in range(HOW_MANY) for file in files for pair in _turn(file, turn))
    for _, (file, query) in zip(range(HOW_MANY), turns, strict=False):
        taken[file.label].append(query)
    return [
        Scene(file.label, list(setup(file)), taken[file.label], list(clearing(file)))
        for file in files
        if taken[file.label]
    ]


def _turn(file: CaseFile, turn: int) -> list[tuple[CaseFile, Query]]:
    plain = [query for query in file.queries if not query.args and not query.settings]
    return [(file, plain[turn])] if turn < len(plain) else []


def setup(file: CaseFile) -> Iterator[str]:
    for relation in file.relations.values():
        source = relation.query or rows_as_query(relation)
        if relation.kind != "stream":
            yield f"CREATE TEMPORARY VIEW {relation.name} AS {source}"
        else:
            order = f" ORDER BY {', '.join(relation.order_by)}" if relation.order_by else ""
            yield f"CREATE TEMPORARY STREAM {relation.name}{order} AS {source}"


def clearing(file: CaseFile) -> Iterator[str]:
    """Other files use the same names."""
    for relation in reversed(file.relations.values()):
        yield f"DROP {'STREAM' if relation.kind == 'stream' else 'VIEW'} {relation.name}"


def rows_as_query(relation: Relation) -> str:
    columns = ", ".join(f"CAST({c.name} AS {c.type}) AS {c.name}" for c in relation.columns)
    names = ", ".join(c.name for c in relation.columns)
    rows = ", ".join(f"({', '.join(map(literal, row))})" for row in relation.rows)
    if not rows:
        nulls = ", ".join("NULL" for _ in relation.columns)
        return f"SELECT {columns} FROM VALUES ({nulls}) AS t({names}) WHERE false"
    return f"SELECT {columns} FROM VALUES {rows} AS t({names})"


def literal(value: Any) -> str:
    if value is None or isinstance(value, bool | int | Decimal):
        return "NULL" if value is None else str(value)
    if isinstance(value, float):
        return f"DOUBLE('{value}')"
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"  # times are cast from text


def script(scenes: Iterable[Scene]) -> str:
    """All statements in one text; before each query one that answers its mark."""
    statements = []
    for scene in scenes:
        statements += scene.setup
        for query in scene.queries:
            statements += [f"SELECT '{MARK}{scene.label} {query.name}' AS mark", query.sql]
        statements += scene.clearing
    return ";\n".join(statements) + ";\n"


def answers(scenes: Iterable[Scene], spark: Any) -> dict[str, list[Row]]:
    """What a session of Spark answers."""
    found = {}
    for scene in scenes:
        for statement in scene.setup:
            spark.sql(statement)
        for query in scene.queries:
            found[f"{scene.label} {query.name}"] = [tuple(row) for row in spark.sql(query.sql).collect()]
        for statement in scene.clearing:
            spark.sql(statement)
    return found


def by_mark(rows: Iterable[Sequence[Any]]) -> dict[str, list[Sequence[Any]]]:
    """The rows of a script's answers, for each mark those that follow it."""
    found: dict[str, list[Sequence[Any]]] = {}
    mark = ""
    for row in rows:
        if len(row) == 1 and str(row[0]).startswith(MARK):
            mark = str(row[0]).removeprefix(MARK)
            found[mark] = []
        else:
            found[mark].append(row)
    return found


def differences(scenes: Iterable[Scene], answers: Mapping[str, Sequence[Sequence[Any]]]) -> list[str]:
    """What a door got wrong; values that are text are read as what was expected in their place."""
    wrong = []
    for scene in scenes:
        for query in scene.queries:
            name = f"{scene.label} {query.name}"
            got = [read_like(row, query.rows) for row in answers[name]]
            told = difference(query.rows, got, query.ordered)
            wrong += [f"{name}: {told}"] if told else []
    return wrong


def read_like(row: Sequence[Any], expected: Sequence[Row]) -> Row:
    def sample(column: int) -> Any:
        return next((e[column] for e in expected if column < len(e) and e[column] is not None), None)

    return tuple(value_like(value, sample(i)) for i, value in enumerate(row))


def value_like(value: Any, sample: Any) -> Any:
    if not isinstance(value, str) or isinstance(sample, str):
        return None if value == "NULL" else value
    if value == "NULL":
        return None
    if isinstance(sample, bool):
        return {"true": True, "false": False}[value]
    if isinstance(sample, int):
        return int(value)
    if isinstance(sample, float):
        return float(value)
    if isinstance(sample, dt.datetime):
        return timestamp(value)
    if isinstance(sample, dt.date):
        return dt.date.fromisoformat(value)
    return json.loads(value) if isinstance(sample, list) else value
