"""The rows of evaluations: their order, their differences, and the answer stream that they make."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.oracle.clock import Moment
from tests.oracle.leaves import Leaf
from tests.oracle.streams import Stream, null_first
from tests.slt import Column
from tests.values import Row


@dataclass(frozen=True)
class Found:
    """A row of an evaluation: its values, what places it among the others, and for joins the tuples it comes from."""

    values: Row
    ranks: Row = ()
    place: Row = ()
    grouped: bool = False
    new: bool = True


def in_order(rows: Sequence[Found]) -> list[Found]:
    return sorted(rows, key=lambda f: tuple(null_first(p) for p in f.place))


def determined(rows: Sequence[Found]) -> bool:
    """Whether the contract gives these rows, which stand in order, one order only.

    It does not say where a row stands to which an outer join gave no tuple, nor how rows of derived relations do.
    """
    for a, b in itertools.pairwise(rows):
        if a.place == b.place and repr(a.values) != repr(b.values):
            return False
        differ = next((pair for pair in zip(a.place, b.place, strict=True) if pair[0] != pair[1]), None)
        if differ and None in differ and not a.grouped:
            return False
    return True


def difference(rows: Sequence[Found], taken: Sequence[Found], hidden: set[int]) -> tuple[list[Found], bool]:
    """A bag of rows less another one, and whether their order does not depend on which equal rows are left."""

    def key(f: Found) -> str:
        return repr([v for i, v in enumerate(f.values) if i not in hidden])

    def left(given: Sequence[Found]) -> list[Found]:
        missing, out = Counter(map(key, taken)), []
        for f in given:
            if missing[key(f)]:
                missing[key(f)] -= 1
            else:
                out.append(f)
        return out

    last, first = left(rows), left(rows[::-1])[::-1]
    return last, list(map(key, last)) == list(map(key, first))


@dataclass
class Answering:
    """Collects the answer stream."""

    leaves: list[Leaf]
    rows: list[Row] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    ordered: bool = True

    def add(self, moment: Moment, rows: Sequence[Found], ordered: bool) -> None:
        self.rows += [f.values for f in rows]
        self.times += [moment.time] * len(rows)
        self.ordered = self.ordered and (ordered or len({repr(f.values) for f in rows}) < 2)

    def stream(self, columns: list[Column], ordered: bool) -> Stream:
        first = self.leaves[0].stream
        times = None if first.times is None else self.times
        return Stream(columns, self.rows, times, first.time_type, self.ordered and ordered, answer=True)
