"""What the names in the statements of an aggregate's body mean (semantics §9).

A name is a column of the tables in FROM, of the innermost query first, else an argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from tests.oracle.definitions import INWINDOW, Definition, Statement
from tests.oracle.dialect import duck
from tests.oracle.errors import NotCovered, Refused
from tests.slt import Column


def refused(
    statement: Statement, message: str, kind: str = "CSQL_AGGREGATE_STATEMENT", name: str = ""
) -> Refused:
    """At the place of the name, or of the statement."""
    named = [t for t in statement.tokens if t.name.lower() == name.lower()]
    place = (named or statement.tokens)[0].position
    return Refused(kind, f"{statement.section}: {message}", place)


def no_column(statement: Statement, name: str) -> Refused:
    """Spark's own refusal."""
    return refused(statement, f"there is no column {name}", "UNRESOLVED_COLUMN.WITH_SUGGESTION", name)


def local(definition: Definition, name: str, statement: Statement) -> list[Column]:
    """The columns of a local table."""
    if name not in definition.tables:
        raise refused(statement, f"{definition.name} has no table {name}", "CSQL_AGGREGATE_TABLE", name)
    return definition.tables[name]


@dataclass
class NamesOf:
    definition: Definition

    def put(self, tree: exp.Expr, statement: Statement, values: Sequence[str]) -> None:
        """Puts values in the places of the arguments and of oldest(), and columns in the place of *."""
        for table in tree.find_all(exp.Table):
            local(self.definition, table.name.lower(), statement)
        for select in list(tree.find_all(exp.Select)):
            select.set(
                "expressions", [e for given in select.expressions for e in self.expanded(given, select)]
            )
        for call in [n for n in tree.find_all(exp.Anonymous) if n.name.lower() == "oldest"]:
            self.oldest(call, statement)
        by_name = {a.name.lower(): v for a, v in zip(self.definition.arguments, values, strict=True)}
        for column in list(tree.find_all(exp.Column)):
            if self.is_visible(column):
                continue
            if not column.table and column.name.lower() in by_name:
                column.replace(duck(by_name[column.name.lower()]))
            elif column.table.lower() in by_name and not column.args.get("db"):
                value = duck(by_name[column.table.lower()])
                column.replace(exp.Dot(this=exp.paren(value), expression=exp.to_identifier(column.name)))
            else:
                raise no_column(statement, column.name)

    def expanded(self, projection: exp.Expr, select: exp.Select) -> list[exp.Expr]:
        if not projection.is_star or projection.find(exp.AggFunc):
            return [projection]
        table = projection.table.lower() if isinstance(projection, exp.Column) else ""
        return [
            exp.column(name, source, quoted=True)
            for source, names in self.sources(select)
            for name in names
            if table in ("", source.lower())
        ]

    def sources(self, select: exp.Select) -> Iterator[tuple[str, list[str]]]:
        """The items of FROM with the names of their columns."""
        start = select.args.get("from_")
        for item in [start.this, *(j.this for j in select.args.get("joins") or [])] if start else []:
            if isinstance(item, exp.Table):
                yield item.alias_or_name, [c.name for c in self.definition.tables.get(item.name.lower(), [])]
            elif isinstance(item, exp.Values):
                yield item.alias_or_name, item.alias_column_names
            elif isinstance(item, exp.Subquery):
                inner = item.this
                while isinstance(inner, exp.SetOperation):
                    inner = inner.this
                yield (
                    item.alias_or_name,
                    [e.alias_or_name for given in inner.expressions for e in self.expanded(given, inner)],
                )

    def is_visible(self, column: exp.Column) -> bool:
        """Whether the column belongs to a table of FROM, or is named in the SELECT list."""
        node: exp.Expr | None = column
        while node is not None:
            if isinstance(node, exp.Select):
                for alias, names in self.sources(node):
                    lower = [n.lower() for n in names]
                    if column.table.lower() == alias.lower() and column.name.lower() in (*lower, "rowid"):
                        return True
                    if not column.table and column.name.lower() in lower:
                        return True
                    if column.table.lower() in lower and not column.args.get("db"):
                        return True  # a field of a column
                named = [e.alias.lower() for e in node.expressions if e.alias]
                if (
                    not column.table
                    and column.name.lower() in named
                    and column.find_ancestor(exp.Order, exp.Group, exp.Having)
                ):
                    return True
            node = node.parent
        return False

    def oldest(self, call: exp.Anonymous, statement: Statement) -> None:
        """oldest().column, or oldest() alone when there is only one column."""
        columns = local(self.definition, INWINDOW, statement)
        dotted = isinstance(call.parent, exp.Dot) and call.parent.this is call
        if not dotted and len(columns) > 1:
            raise NotCovered("oldest() of several columns")
        name = call.parent.expression.name if dotted else columns[0].name  # type: ignore[union-attr]
        if name.lower() not in [c.name.lower() for c in columns]:
            raise no_column(statement, name)
        inner = exp.Select(
            expressions=[exp.column(name, "o", quoted=True)],
            from_=exp.From(this=exp.alias_(exp.to_table(INWINDOW), "o", table=True)),
            order=exp.Order(expressions=[exp.Ordered(this=exp.column("rowid", "o"))]),
            limit=exp.Limit(expression=exp.Literal.number(1)),
        )
        (call.parent if dotted else call).replace(exp.Subquery(this=inner))
