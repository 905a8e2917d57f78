"""One aggregate at work: its local tables, and what its sections return (semantics §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
from sqlglot import exp

from tests.oracle.bodies import Compiled, Compiler
from tests.oracle.definitions import INWINDOW, Definition
from tests.oracle.engine import ORDER, Engine, quoted
from tests.oracle.errors import Refused
from tests.oracle.names import NamesOf
from tests.oracle.storage import kept, storable, stored, typed
from tests.slt import Column, Relation
from tests.values import Row

# Answers a query over these relations; for bodies that call aggregates.
Ask = Callable[[exp.Query, list[Relation]], tuple[list[Column], list[Row]]]


@dataclass
class Program:
    """A definition that has been checked, with its statements as SQL."""

    definition: Definition
    engine: Engine
    sections: dict[str, list[Compiled]]
    ask: Ask

    @staticmethod
    def of(definition: Definition, engine: Engine, names: frozenset[str], ask: Ask) -> Program:
        compiler = Compiler(definition, names)
        sections = {
            name: [compiler.compile(s) for s in statements]
            for name, statements in definition.sections.items()
        }
        program = Program(definition, engine, sections, ask)
        Instance(program).check()
        return program


@dataclass
class Instance:
    program: Program
    tables: str = ""
    latest: Row | None = field(default=None, init=False)  # the arguments of the last tuple that has come

    def __post_init__(self) -> None:
        self.engine = self.program.engine
        self.definition = self.program.definition
        self.tables = f"__i{next(self.engine.numbers)}_"
        for name, columns in self.definition.tables.items():
            fields = [f"{quoted(c.name)} {kept(c.type)}" for c in columns]
            fields += [f"{ORDER} BIGINT"] if name == INWINDOW else []
            self.engine.connection.execute(f"CREATE TABLE {self.physical(name)} ({', '.join(fields)})")

    def physical(self, name: str) -> str:
        return quoted(self.tables + name)

    def reset(self) -> None:
        self.latest = None
        for name in self.definition.tables:
            self.engine.connection.execute(f"DELETE FROM {self.physical(name)}")

    def add(self, place: int, arguments: Row) -> None:
        """The tuple comes into inwindow."""
        if INWINDOW in self.definition.tables:
            columns = self.definition.tables[INWINDOW]
            values = [typed(v, c.type) for v, c in zip(arguments, columns, strict=True)]
            sql = f"INSERT INTO {self.physical(INWINDOW)} VALUES ({', '.join([*values, str(place)])})"
            self.engine.connection.execute(sql)

    def arrive(self, arguments: Row) -> list[Any]:
        section = "ITERATE" if self.latest is not None else self.definition.first
        self.latest = arguments
        return self.run(section, arguments)

    def terminate(self) -> list[Any]:
        """With the arguments of the last tuple; nothing before the first one."""
        return [] if self.latest is None else self.run("TERMINATE", self.latest)

    def expire(self, place: int, arguments: Row) -> list[Any]:
        """EXPIRE, and then the tuple leaves inwindow; nothing for a tuple that the aggregate has deleted."""
        held = f"FROM {self.physical(INWINDOW)} WHERE {ORDER} = {place}"
        if not self.engine.rows(f"SELECT 1 {held}"):
            return []
        returned = self.run("EXPIRE", arguments)
        self.engine.connection.execute(f"DELETE {held}")
        return returned

    def run(self, section: str, arguments: Row) -> list[Any]:
        returned: list[Any] = []
        for compiled in self.program.sections.get(section, []):
            try:
                returned += self.execute(compiled, arguments)
            except duckdb.Error as e:
                raise Refused(
                    "CSQL_AGGREGATE_FAILED",
                    f"{self.definition.name} {section} {compiled.statement.text}: {e}",
                ) from e
        return returned

    def execute(self, compiled: Compiled, arguments: Row) -> list[Any]:
        if compiled.kind in ("update", "delete"):
            self.engine.connection.execute(self.filled(compiled, arguments))
            return []
        _, rows = self.selected(compiled, arguments)
        if compiled.kind == "return":
            return [self.returned(row) for row in rows]
        names = ", ".join(quoted(c.name) for c in compiled.columns)
        for row in rows:
            values = ", ".join(
                stored(typed(v, c.type), c.type) for v, c in zip(row, compiled.columns, strict=True)
            )
            self.engine.connection.execute(
                f"INSERT INTO {self.physical(compiled.table)} ({names}) VALUES ({values})"
            )
        return []

    def filled(self, compiled: Compiled, arguments: Row) -> str:
        return compiled.filled(compiled.sql, self.tables, self.definition.arguments, arguments)

    def selected(self, compiled: Compiled, arguments: Row) -> tuple[list[Column], list[Row]]:
        """The rows of an INSERT."""
        if compiled.calls is None:
            sql = self.filled(compiled, arguments)
            return self.engine.columns(sql), self.engine.rows(sql)
        tree = exp.Tuple(expressions=[compiled.calls.copy()])
        values = [typed(v, c.type) for v, c in zip(arguments, self.definition.arguments, strict=True)]
        NamesOf(self.definition).put(tree, compiled.statement, values)
        relations = [self.relation(name, columns) for name, columns in self.definition.tables.items()]
        return self.program.ask(tree.expressions[0], relations)

    def relation(self, name: str, columns: Sequence[Column]) -> Relation:
        fields = ", ".join(quoted(c.name) for c in columns)
        rows = self.engine.rows(f"SELECT {fields} FROM {self.physical(name)} ORDER BY rowid")
        return Relation("table", name, [Column(c.name, kept(c.type)) for c in columns], rows=rows)

    def returned(self, row: Row) -> Any:
        """One value; several columns are the fields of a struct."""
        type_ = self.definition.returns
        if len(row) == 1:
            return self.engine.rows(f"SELECT {stored(typed(row[0], type_), type_)}")[0][0]
        fields = fields_of(self.engine, type_)
        values = [
            f"{quoted(f.name)} := CAST({typed(v, f.type)} AS {f.type})"
            for v, f in zip(row, fields, strict=True)
        ]
        return self.engine.rows(f"SELECT struct_pack({', '.join(values)})")[0][0]

    def check(self) -> None:
        """Every statement over empty tables, to find what does not fit."""
        nothing = (None,) * len(self.definition.arguments)
        for statements in self.program.sections.values():
            for compiled in statements:
                try:
                    self.check_statement(compiled, nothing)
                except duckdb.Error as e:
                    raise refusal(compiled, "TYPE", str(e)) from e

    def check_statement(self, compiled: Compiled, nothing: Row) -> None:
        if compiled.kind in ("update", "delete"):
            sql = self.filled(compiled, nothing)
            self.engine.connection.execute(f"EXPLAIN {sql}")
            if compiled.kind == "update":
                inner = sql[sql.index(" FROM (") + len(" FROM (") : sql.rindex(") AS u ")]
                _, *given = self.engine.columns(inner)
                self.check_types(compiled, given, compiled.columns)
            return
        if compiled.calls is not None:
            return
        given = self.engine.columns(self.filled(compiled, nothing))
        if compiled.kind == "insert":
            self.check_types(compiled, given, compiled.columns)
            return
        wanted = [Column("", self.definition.returns)]
        if len(given) > 1 and self.definition.returns.startswith("STRUCT"):
            wanted = fields_of(self.engine, self.definition.returns)
        self.check_types(compiled, given, wanted)

    def check_types(self, compiled: Compiled, given: Sequence[Column], wanted: Sequence[Column]) -> None:
        if len(given) != len(wanted):
            raise refusal(compiled, "TYPE", f"{len(given)} values for {len(wanted)} columns")
        for a, b in zip(given, wanted, strict=True):
            if not storable(a.type, b.type):
                raise refusal(compiled, "TYPE", f"{a.type} cannot be stored as {b.type}")


def refusal(compiled: Compiled, kind: str, message: str) -> Refused:
    return Refused(f"CSQL_AGGREGATE_{kind}", message, compiled.statement.tokens[0].position)


def fields_of(engine: Engine, struct: str) -> list[Column]:
    """The fields of a struct type."""
    return engine.columns(f"SELECT UNNEST(CAST(NULL AS {struct}))")
