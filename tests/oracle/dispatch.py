"""Which version of an aggregate a call runs, and over which tuples (003 figure 2, semantics §9).

A window call answers with what is returned while the newest tuple of the window is processed: by INITIALIZE or ITERATE,
and by the TERMINATE after it. What a version that starts afresh returns for the older tuples of the window is no answer,
so that UNBOUNDED and a window that holds everything agree. When a tuple expires, the newest one of what is left counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlglot import exp

from tests.oracle.dialect import sql_of, translate
from tests.oracle.engine import ORDER, Engine
from tests.oracle.errors import Refused
from tests.oracle.instances import Instance, Program
from tests.oracle.slides import Slides, events
from tests.oracle.storage import storable, stored
from tests.values import Row


@dataclass
class Running:
    """An instance that sees tuples come and go; it is never started again, also when its window was empty."""

    program: Program
    instance: Instance = field(init=False)
    present: dict[int, Row] = field(default_factory=dict)  # the tuples of the window, deleted ones too

    def __post_init__(self) -> None:
        self.instance = Instance(self.program)

    def arrive(self, place: int, arguments: Row) -> list[Any]:
        if self.program.definition.window:
            self.present[place] = arguments
            self.instance.add(place, arguments)
        return self.instance.arrive(arguments) + self.instance.terminate()

    def leave(self, place: int) -> list[Any]:
        return self.instance.expire(place, self.present.pop(place))


@dataclass
class Fresh:
    """An instance that starts anew for each evaluation."""

    program: Program
    instance: Instance = field(init=False)

    def __post_init__(self) -> None:
        self.instance = Instance(self.program)

    def over(self, tuples: Sequence[Row]) -> list[Any]:
        """What the last tuple and TERMINATE return."""
        returned = self.each(tuples)
        return (returned[-1] if returned else []) + self.instance.terminate()

    def whole(self, tuples: Sequence[Row]) -> list[Any]:
        """Everything that is returned, as for a table."""
        return [value for values in self.each(tuples) for value in values] + self.instance.terminate()

    def each(self, tuples: Sequence[Row]) -> list[list[Any]]:
        self.instance.reset()
        found = []
        for place, arguments in enumerate(tuples):
            self.instance.add(place, arguments)
            found.append(self.instance.arrive(arguments))
        return found


@dataclass
class OverCall:
    """A call with OVER: what it returns for each tuple, and at each expiry if that is active."""

    slides: Slides
    arguments: list[Row]
    program: Program
    afresh: bool
    arrived: dict[int, list[Any]] = field(default_factory=dict)
    expired: dict[int, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.afresh:
            self.start_anew()
        else:
            self.run_on()

    def run_on(self) -> None:
        instances: dict[str, Running] = {}
        for event in events(self.slides.stream, [self.slides]):
            key = repr(self.slides.partitions[event.index])
            if key not in instances:
                instances[key] = Running(self.program)
            instance = instances[key]
            if event.expired is not None:
                there = event.index in instance.present
                self.expired[event.index] = instance.leave(event.index) if there else []
                continue
            window = set(self.slides.at_arrival(event.index))
            for place in [p for p in instance.present if p not in window]:
                instance.leave(place)
            self.arrived[event.index] = instance.arrive(event.index, self.arguments[event.index])

    def start_anew(self) -> None:
        instance = Fresh(self.program)
        for event in events(self.slides.stream, [self.slides]):
            if event.expired is not None:
                left = self.slides.after_expiry(event.index)
                self.expired[event.index] = instance.over(self.given(left))
            elif self.slides.yields(event.index):
                window = self.slides.at_arrival(event.index)
                self.arrived[event.index] = instance.over(self.given(window))

    def given(self, places: Sequence[int]) -> list[Row]:
        return [self.arguments[p] for p in places]


def over_call(
    node: exp.Expr, slides: Slides, versions: tuple[Program, bool], engine: Engine, table: str
) -> OverCall:
    """A call over the rows of a table."""
    program, afresh = versions
    checked(program, node)
    outputs = [sql_of(translate(a, [])) for a in arguments_of(node)]
    types = [c.type for c in engine.columns(f"SELECT {', '.join(outputs)} FROM {table}")] if outputs else []
    given = [cast(o) for cast, o in zip(casts(program, types), outputs, strict=True)]
    rows = engine.rows(f"SELECT {', '.join([*given, ORDER])} FROM {table} ORDER BY {ORDER}")
    return OverCall(slides, [row[:-1] for row in rows], program, afresh)


def arguments_of(call: exp.Expr) -> list[exp.Expr]:
    if isinstance(call, exp.Anonymous):
        return list(call.expressions)
    return [call.this, *call.expressions] if isinstance(call.this, exp.Expr) else list(call.expressions)


def checked(program: Program, call: exp.Expr) -> None:
    if isinstance(call, exp.Filter):
        raise Refused("CSQL_AGGREGATE_CALL", "FILTER of a call")
    given = arguments_of(call)
    if any(isinstance(g, exp.Distinct) for g in given):
        raise Refused("CSQL_AGGREGATE_CALL", "DISTINCT in a call")
    if len(given) != len(program.definition.arguments):
        raise Refused("CSQL_AGGREGATE_TYPE", f"{program.definition.name} has other arguments")


def casts(program: Program, types: Sequence[str]) -> list[Callable[[str], str]]:
    """What makes arguments of the declared types from values of these types."""
    wanted = [c.type for c in program.definition.arguments]
    for given, type_ in zip(types, wanted, strict=False):
        if not storable(given, type_):
            raise Refused("CSQL_AGGREGATE_TYPE", f"{given} given where {type_} is expected")
    return [partial(stored, duck_type=type_) for type_ in wanted]


def check_counts(values: Sequence[list[Any]]) -> None:
    if sum(len(returned) != 1 for returned in values) > 1:
        raise Refused("CSQL_AGGREGATE_ROWS", "two calls return other than one row")
