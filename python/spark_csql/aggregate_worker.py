"""What a Python worker does with the calls of an aggregate.

This module is sent to the workers with the aggregate: it imports nothing of this package, which they may
not have.
"""

from __future__ import annotations

import collections
import json
import pickle
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Batch = Any
"""A batch of rows of Arrow's."""

# The engine knows the calls by these numbers.
BEGIN, TUPLE, EXPIRE, LEAVE, ANOTHER_TUPLE, EXPIRE_NOTHING, ANSWER, CLOSE, SAVE, LOAD, CLEAR = range(11)


class Window:
    """The tuples in the window, oldest first: rows with the names of the arguments."""

    def __init__(self, row: Any) -> None:
        self._row = row
        self._tuples: collections.deque[Any] = collections.deque()
        self._live = 0

    def __iter__(self) -> Iterator[Any]:
        return (row for row in self._tuples if row is not None)

    def __len__(self) -> int:
        return self._live

    @property
    def oldest(self) -> Any:
        """The oldest tuple, or None."""
        return next(iter(self), None)

    def delete(self, which: Callable[[Any], bool]) -> None:
        """Let tuples go before their time; they do not expire."""
        for place, row in enumerate(self._tuples):
            if row is not None and which(row):
                self._tuples[place] = None
                self._live -= 1

    def _add(self, arguments: tuple[Any, ...]) -> None:
        self._tuples.append(self._row._make(arguments))
        self._live += 1

    def _at(self, place: int) -> Any:
        return self._tuples[place]

    def _remove(self, place: int) -> None:
        if self._tuples[place] is not None:
            self._live -= 1
        del self._tuples[place]


class Failed(Exception):
    """A method of the user's has failed, or has returned what cannot be sent back."""

    def __init__(self, section: str, place: str, error: BaseException) -> None:
        told = "".join(traceback.format_exception_only(error)).strip()
        last = traceback.extract_tb(error.__traceback__)[-1:]
        line = "".join(f" (line {frame.lineno} of {frame.filename})" for frame in last)
        super().__init__(f"{section}\n{place}\n{told}{line}")


def whole_numbers(of: Any) -> Callable[[Any], Any]:
    """What fails for a number with a fraction where a whole one is wanted: Arrow would cut it off."""
    from pyspark.sql.types import IntegralType, StructType

    def number(value: Any) -> Any:
        if isinstance(value, float) and not value.is_integer():
            raise TypeError(f"{value} is not a whole number, as {of.simpleString()} is")
        return value

    def fields(value: Any) -> Any:
        parts = [value.get(name) for name in of.names] if isinstance(value, dict) else value
        if isinstance(parts, (list, tuple)):
            for check, part in zip(checks, parts, strict=False):
                check(part)
        return value

    if isinstance(of, IntegralType):
        return number
    checks = [whole_numbers(field.dataType) for field in of.fields] if isinstance(of, StructType) else []
    return fields if checks else lambda value: value


class Aggregate:
    """The class, and what the statement that made the aggregate says of it."""

    def __init__(self, of: type, told: str) -> None:
        from pyspark.sql.types import StructType

        said = json.loads(told)
        self.of = of
        self.arguments = StructType.fromJson(said["arguments"])
        self.row = (
            collections.namedtuple("Tuple", self.arguments.names, rename=True) if said["window"] else None
        )
        self.answers = StructType.fromJson(said["answers"])
        self.check = whole_numbers(self.answers["rows"].dataType.elementType)  # type: ignore[attr-defined]
        self.initialize = "initialize" if hasattr(of, "initialize") else "iterate"
        self.terminates = hasattr(of, "terminate")
        self.expires = hasattr(of, "expire")


class Run:
    """An instance of the class at work on one group."""

    def __init__(self, aggregate: Aggregate) -> None:
        self.aggregate = aggregate
        self.returned: list[Any] = []
        self.settled = True
        self.window = Window(aggregate.row) if aggregate.row is not None else None
        self.instance: Any = None

    def take(self, arguments: tuple[Any, ...]) -> None:
        if self.window is not None:
            self.window._add(arguments)
        self.settled = False
        if self.instance is None:
            self.instance = self._call("initialize", self.aggregate.of)
            self._see_window()
            self._returns(self.aggregate.initialize, arguments)
        else:
            self._returns("iterate", arguments)

    def expire(self) -> None:
        self.expire_nothing()
        self._expire()

    def expire_nothing(self) -> None:
        self.returned.clear()
        self.settled = True

    def leave(self, place: int) -> None:
        told = len(self.returned)
        self._expire(place)
        del self.returned[told:]

    def _expire(self, place: int = 0) -> None:
        if self.window is not None:
            row = self.window._at(place)
            if row is not None and self.aggregate.expires:
                self._returns("expire", row)
            self.window._remove(place)

    def answer(self) -> list[Any]:
        if not self.settled and self.aggregate.terminates:
            self._returns("terminate", ())
        self.settled = True
        return list(self.returned)

    def save(self) -> bytes:
        _, _, state, *items = self._without_window()
        if any(item is not None for item in items):
            raise TypeError(
                f"The fields of {self.aggregate.of.__name__} are its state, so it cannot be a list or dict."
            )
        tuples = None if self.window is None else [row and tuple(row) for row in self.window._tuples]
        whole = (self.settled, self.returned, tuples, state)
        try:
            return pickle.dumps(whole, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception:
            from pyspark import cloudpickle

            return bytes(cloudpickle.dumps(whole))  # type: ignore[no-untyped-call]

    def load(self, stored: bytes) -> None:
        self.settled, self.returned, tuples, state = pickle.loads(stored)
        self.instance = object.__new__(self.aggregate.of)
        if hasattr(self.instance, "__setstate__"):
            self.instance.__setstate__(state)
        else:
            fields, slots = state if isinstance(state, tuple) else (state, None)
            for name, value in {**(fields or {}), **(slots or {})}.items():
                setattr(self.instance, name, value)
        if self.window is not None:
            self.window._tuples.extend(row and self.window._row._make(row) for row in tuples)
            self.window._live = sum(row is not None for row in tuples)
        self._see_window()

    def _see_window(self) -> None:
        if self.window is not None:
            self.instance.window = self.window

    def _without_window(self) -> Any:
        if self.window is not None:
            del self.instance.window
        return (*self.instance.__reduce_ex__(2), None, None)[:5]

    def _returns(self, method: str, arguments: tuple[Any, ...]) -> None:
        self._call(method, self._collect, getattr(self.instance, method), arguments)

    def _collect(self, method: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        value = method(*arguments)
        if isinstance(value, types.GeneratorType):
            for each in value:
                self.returned.append(self.aggregate.check(each))
        elif value is not None:
            self.returned.append(self.aggregate.check(value))

    def _call(self, method: str, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Exception as error:
            raise Failed(method.upper(), f"{self.aggregate.of.__name__}.{method}", error) from error


Call = tuple[int, int, bytes | None, tuple[Any, ...]]
"""What to do, the number of the run, a state or a place in the window, and the arguments of a tuple."""


class Answer(NamedTuple):
    rows: list[Any] | None
    state: bytes | None
    failure: str | None


def answered(of: type, batches: Iterator[Batch]) -> Iterator[Batch]:
    """Run the calls in batches of Arrow's; one row for each that asks for something."""
    from pyspark.sql.conversion import LocalDataToArrowConversion

    worker: Worker | None = None
    for batch in batches:
        if worker is None:
            worker = Worker(Aggregate(of, batch.column(2)[0].as_py().decode()))
        answers = worker.answers(batch)
        if not answers:
            continue
        schema = worker.aggregate.answers
        try:
            table = LocalDataToArrowConversion.convert(answers, schema, False)
        except Exception as error:
            failure = Answer(None, None, str(Failed("RETURN", of.__name__, error)))
            table = LocalDataToArrowConversion.convert([failure], schema, False)
        yield from table.to_batches()


class Worker:
    """The runs of one task."""

    def __init__(self, aggregate: Aggregate) -> None:
        self.aggregate = aggregate
        self.runs: dict[int, Run] = {}

    def answers(self, batch: Batch) -> list[Answer]:
        found: list[Answer] = []
        try:
            for call in self._calls(batch):
                answer = self._answer(call)
                if answer is not None:
                    found.append(answer)
        except Failed as error:
            found.append(Answer(None, None, str(error)))
        return found

    def _calls(self, batch: Batch) -> Iterator[Call]:
        import pyarrow  # type: ignore[import-untyped]
        from pyspark.sql.conversion import ArrowTableToRowsConversion

        heads = zip(*(batch.column(i).to_pylist() for i in range(3)), strict=True)
        columns = pyarrow.Table.from_batches([batch]).select(range(3, batch.num_columns))
        tuples = ArrowTableToRowsConversion.convert(columns, self.aggregate.arguments, return_as_tuples=True)
        return ((*head, arguments) for head, arguments in zip(heads, tuples, strict=True))

    def _answer(self, call: Call) -> Answer | None:
        what, number, state, arguments = call
        run = self.runs.get(number)
        if run is None:
            run = self.runs[number] = Run(self.aggregate)
        if what == TUPLE:
            run.returned.clear()
            run.take(arguments)
        elif what == ANOTHER_TUPLE:
            run.take(arguments)
        elif what == ANSWER:
            return Answer(run.answer(), None, None)
        elif what == LEAVE:
            run.leave(int(state or b"0"))
        elif what == EXPIRE:
            run.expire()
        elif what == EXPIRE_NOTHING:
            run.expire_nothing()
        elif what == LOAD:
            assert state is not None
            self._keep(run.load, state)
        elif what == SAVE:
            del self.runs[number]
            return Answer(None, self._keep(run.save), None)
        elif what == CLEAR:
            self.runs.clear()
        else:  # BEGIN or CLOSE
            del self.runs[number]
        return None

    def _keep(self, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Exception as error:
            raise Failed("STATE", self.aggregate.of.__name__, error) from error
