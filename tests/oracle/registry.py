"""The aggregates that a session knows: of each name a base version, a WINDOW version, or both (semantics §9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from sqlglot import exp

from tests.oracle.definitions import Definition, read
from tests.oracle.dialect import is_aggregate
from tests.oracle.engine import Engine
from tests.oracle.errors import Refused
from tests.oracle.instances import Ask, Program
from tests.oracle.lift import clause_of, spark
from tests.oracle.slides import Slides
from tests.oracle.storage import storable
from tests.oracle.tokens import tokenize
from tests.oracle.trees import sources


def is_builtin(name: str) -> bool:
    """An aggregate of Spark."""
    return is_aggregate(spark(f"SELECT {name}(x)").expressions[0])


@dataclass
class Registry:
    engine: Engine
    ask: Ask
    base: dict[str, Program] = field(default_factory=dict)  # by name in lower case
    window: dict[str, Program] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        return frozenset({*self.base, *self.window})

    def define(self, sql: str) -> None:
        made = read(sql)
        name = made.name.lower()
        versions = self.window if made.window else self.base
        if is_builtin(name) and not (made.replace and made.temporary):
            raise Refused("CSQL_AGGREGATE_EXISTS", f"{made.name} is a function of Spark", made.position)
        if name in versions and not made.replace:
            raise Refused("CSQL_AGGREGATE_EXISTS", f"{made.name} exists", made.position)
        self.check_versions(made, (self.base if made.window else self.window).get(name))
        self.check_algebraic(made)
        self.check_recursion(made)
        versions[name] = Program.of(made, self.engine, frozenset(self.base), self.ask)

    def drop(self, sql: str) -> None:
        words = tokenize(sql)[2:]
        tolerant = [t.word for t in words[:2]] == ["IF", "EXISTS"]
        name = words[2 if tolerant else 0]
        if name.name.lower() not in self.names and not tolerant:
            raise Refused("CSQL_AGGREGATE_NOT_FOUND", f"there is no aggregate {name.text}", name.position)
        self.base.pop(name.name.lower(), None)
        self.window.pop(name.name.lower(), None)

    def calls(self, select: exp.Select) -> list[exp.Expr]:
        """The calls of our aggregates in a block, without OVER; a missing base version may be a built-in."""
        having = select.args.get("having")
        found = [c for e in (*select.expressions, *([having] if having else [])) for c in calls(e)]
        if any(map(clause_of, sources(select))):
            return found
        for call in found:
            if call.meta["uda"] not in self.base:
                if not is_builtin(call.meta["uda"]):
                    raise Refused("CSQL_AGGREGATE_CALL", f"{call.sql()} without a window")
                call.meta.pop("uda")
        return [call for call in found if "uda" in call.meta]

    def versions(self, node: exp.Expr, slides: Slides) -> tuple[Program, bool] | None:
        """What a call with OVER runs, and whether afresh for each window; None: a built-in aggregate."""
        call = node.this if isinstance(node, exp.Filter) else node
        name = call.meta.get("uda")
        if name is None:
            return None
        base, window = self.base.get(name), self.window.get(name)
        if slides.spec.length is not None and not slides.tumbles:
            return (window, False) if window else (base, True) if base else None
        if base is None and is_builtin(name):
            call.meta.pop("uda")
            return None
        chosen = base or window
        return (chosen, slides.spec.length is not None) if chosen else None

    def check_versions(self, made: Definition, other: Program | None) -> None:
        """Base and WINDOW version are called with the same arguments, and stand in the same columns."""
        if other is None:
            return
        types = [[*(a.type for a in d.arguments), d.returns] for d in (made, other.definition)]
        if types[0] != types[1]:
            raise Refused("CSQL_AGGREGATE_VERSIONS", f"{made.name} has other types in its other version")

    def check_algebraic(self, made: Definition) -> None:
        fits = len(made.arguments) == 1 and storable(made.returns, made.arguments[0].type)
        if made.algebraic and not fits:
            raise Refused(
                "CSQL_AGGREGATE_ALGEBRAIC", f"{made.name} cannot take what it returns", made.position
            )

    def check_recursion(self, made: Definition) -> None:
        """Calls in a body are calls of base versions."""
        reached: set[str] = set()
        todo = calls_of(made)
        while todo:
            name = todo.pop()
            if name == made.name.lower() and not made.window:
                raise Refused("CSQL_AGGREGATE_RECURSION", f"{made.name} calls itself")
            if name in self.base and name not in reached:
                reached.add(name)
                todo |= calls_of(self.base[name].definition)


def calls_of(made: Definition) -> set[str]:
    """The names of all functions that stand in a body."""
    found = set()
    for statement in (s for statements in made.sections.values() for s in statements):
        found |= {a.name.lower() for a, b in pairwise(statement.tokens) if a.word and b.text == "("}
    return found


def calls(node: exp.Expr) -> list[exp.Expr]:
    """The calls of our aggregates in an expression, outside its subqueries and OVERs."""
    if isinstance(node, exp.Query | exp.Window):
        return []
    if node.meta.get("uda"):
        return [node]
    return [found for child in node.iter_expressions() for found in calls(child)]
