"""The statements of an aggregate's body as SQL for DuckDB (semantics §9).

Local tables stand there as <<tables>>name, arguments as '<<n>>'; both are filled in when a statement runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp

from tests.oracle.definitions import INWINDOW, Definition, Statement
from tests.oracle.dialect import duck, sql_of, translate
from tests.oracle.engine import quoted
from tests.oracle.errors import Refused
from tests.oracle.names import NamesOf, local, no_column, refused
from tests.oracle.storage import stored, typed
from tests.oracle.tokens import Token
from tests.slt import Column
from tests.values import Row

RETURN = "return"
TABLES = "<<tables>>"


@dataclass
class Compiled:
    """`sql` reads the rows that are inserted or returned, or is the UPDATE or DELETE itself."""

    statement: Statement
    kind: str  # insert, return, update, delete
    sql: str
    table: str = ""
    columns: list[Column] = field(default_factory=list)  # that an INSERT or UPDATE fills
    calls: exp.Query | None = None  # the query of an INSERT, if it calls aggregates of ours

    def filled(self, sql: str, tables: str, arguments: Sequence[Column], values: Row) -> str:
        def value(found: re.Match[str]) -> str:
            at = int(found[1])
            return typed(values[at], arguments[at].type)

        return re.sub(r"'<<(\d+)>>'", value, sql.replace(TABLES, tables))


@dataclass
class Compiler:
    definition: Definition
    names: frozenset[str] = frozenset()  # of the aggregates that can be called

    def compile(self, statement: Statement) -> Compiled:
        words = [t.word for t in statement.tokens]
        if words[:2] == ["INSERT", "INTO"]:
            return self.insert(statement)
        if words[:1] == ["UPDATE"]:
            return self.update(statement)
        if words[:2] == ["DELETE", "FROM"]:
            return self.delete(statement)
        raise refused(statement, f"{statement.text} is no statement of an aggregate")

    def insert(self, statement: Statement) -> Compiled:
        name, rest = statement.tokens[2], list(statement.tokens[3:])
        given = name.name.lower()
        if given == INWINDOW:
            raise Refused("CSQL_AGGREGATE_INWINDOW", "the system fills inwindow", name.position)
        columns = [] if given == RETURN else local(self.definition, given, statement)
        if rest[:1] and rest[0].text == "(" and rest[1].word not in ("SELECT", "WITH", "VALUES"):
            end = [t.text for t in rest].index(")")
            chosen = [t.name.lower() for t in rest[1:end] if t.text != ","]
            columns = [c for n in chosen for c in columns if c.name.lower() == n]
            if len(columns) != len(chosen):
                known = [c.name.lower() for c in columns]
                raise no_column(statement, next(n for n in chosen if n not in known))
            rest = rest[end + 1 :]
        query = self.parsed(query_text(rest), statement)
        if not isinstance(query, exp.Query):
            raise refused(statement, f"{statement.text} inserts no rows")
        kind = "return" if given == RETURN else "insert"
        if any(n.meta.get("uda") for n in self.marked(query).walk()):
            return Compiled(statement, kind, "", given, columns, query)
        return Compiled(statement, kind, self.sql(query, statement), given, columns)

    def update(self, statement: Statement) -> Compiled:
        """The new values are told before any of them is stored."""
        tree = self.parsed(statement.text, statement)
        target = tree.this
        name = target.name.lower()
        if name == INWINDOW:
            raise Refused(
                "CSQL_AGGREGATE_INWINDOW", "the system fills inwindow", statement.tokens[1].position
            )
        by_name = {c.name.lower(): c for c in local(self.definition, name, statement)}
        columns = []
        for assignment in tree.expressions:
            if assignment.this.name.lower() not in by_name:
                raise no_column(statement, assignment.this.name)
            columns.append(by_name[assignment.this.name.lower()])
        values = [exp.alias_(a.expression.copy(), f"v{i}") for i, a in enumerate(tree.expressions)]
        rows = self.rows_of(target, values, tree.args.get("where"))
        inner = self.sql(rows, statement)
        assigned = ", ".join(f"{quoted(c.name)} = {stored(f'u.v{i}', c.type)}" for i, c in enumerate(columns))
        physical = quoted(TABLES + name)
        sql = f"UPDATE {physical} SET {assigned} FROM ({inner}) AS u WHERE {physical}.rowid = u.r"
        return Compiled(statement, "update", sql, name, columns)

    def delete(self, statement: Statement) -> Compiled:
        tree = self.parsed(statement.text, statement)
        name = tree.this.name.lower()
        local(self.definition, name, statement)
        inner = self.sql(self.rows_of(tree.this, [], tree.args.get("where")), statement)
        sql = f"DELETE FROM {quoted(TABLES + name)} WHERE rowid IN ({inner})"
        return Compiled(statement, "delete", sql, name)

    def rows_of(self, target: exp.Table, values: list[exp.Expr], where: exp.Where | None) -> exp.Select:
        """The rows of a table that a statement changes: their places, and new values."""
        place = exp.alias_(exp.column("rowid", target.alias_or_name, quoted=True), "r")
        select = exp.Select(expressions=[place, *values], from_=exp.From(this=target.copy()))
        if where is not None:
            select.set("where", where.copy())
        return select

    def parsed(self, text: str, statement: Statement) -> exp.Expr:
        try:
            return sqlglot.parse_one(text, dialect="spark")
        except sqlglot.errors.ParseError as e:
            raise refused(statement, str(e)) from e

    def marked(self, query: exp.Expr) -> exp.Expr:
        return mark(query, self.names)

    def sql(self, query: exp.Expr, statement: Statement) -> str:
        tree = exp.Tuple(expressions=[query.copy()])  # so that every node has a parent
        NamesOf(self.definition).put(
            tree, statement, [f"'<<{i}>>'" for i in range(len(self.definition.arguments))]
        )
        tables = list(tree.find_all(exp.Table))
        for table in tables:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
            table.replace(
                exp.Table(this=exp.to_identifier(TABLES + table.name.lower(), quoted=True), alias=alias)
            )
        order = [f"{quoted(tables[0].alias_or_name)}.rowid"] if len(tables) == 1 else []
        return sql_of(failing(translate(tree.expressions[0], order)))


def query_text(tokens: Sequence[Token]) -> str:
    """The rows of an INSERT as a query; VALUES (…) WHERE … is a SELECT without FROM."""
    if not tokens or tokens[0].word != "VALUES":
        return " ".join(t.text for t in tokens)
    depth, where = 0, len(tokens)
    for i, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.word == "WHERE":
            where = i
            break
    condition = " ".join(t.text for t in tokens[where:])
    texts = [" ".join(t.text for t in row) for row in rows_of_values(tokens[1:where])]
    return " UNION ALL ".join(f"SELECT {text} {condition}" for text in texts)


def rows_of_values(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """(a, b), (c, d): what stands in the outermost parentheses."""
    depth = 0
    row: list[Token] = []
    for token in tokens:
        depth += token.text == "("
        if depth > 1 or (depth == 1 and token.text not in "()"):
            row.append(token)
        depth -= token.text == ")"
        if depth == 0 and token.text == ")":
            yield row
            row = []


def failing(tree: exp.Expr) -> exp.Expr:
    """Division by zero fails, as in Spark, instead of giving NULL."""
    root = exp.Tuple(expressions=[tree])
    for node in reversed([n for n in root.walk() if isinstance(n, exp.Div | exp.IntDiv | exp.Mod)]):
        kind = "DOUBLE" if isinstance(node, exp.Div) else "BIGINT"
        sign = {exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%"}[type(node)]
        by = sql_of(node.expression)
        guard = f"CASE WHEN ({by}) = 0 THEN CAST(error('division by zero') AS {kind}) ELSE ({by}) END"
        made = duck(f"(({sql_of(node.this)}) {sign} ({guard}))")
        for division in made.find_all(exp.Div):
            division.set("safe", False)
        node.replace(made)
    return root.expressions[0]


def mark(tree: exp.Expr, names: Mapping[str, object] | frozenset[str]) -> exp.Expr:
    """Notes on the calls of aggregates of ours which one they call."""
    for node in tree.walk():
        for name in called(node):
            if name in names:
                node.meta["uda"] = name
    return tree


def called(node: exp.Expr) -> list[str]:
    """The names by which a function is known, in lower case."""
    if isinstance(node, exp.Anonymous):
        return [node.name.lower()]
    return [n.lower() for n in type(node).sql_names()] if isinstance(node, exp.Func) else []
