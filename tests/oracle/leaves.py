"""The windowed streams of a query of several: what is in the window of each, moment by moment (semantics §6, §7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.oracle.clauses import Clause, Frequency, Window
from tests.oracle.errors import Refused
from tests.oracle.streams import Stream, Time
from tests.oracle.windows import UNBOUNDED, at_tick, at_tuple, check, members, sample, slot_end, ticks

Content = tuple[int, ...]


@dataclass
class Leaf:
    """A stream with its window; `inner`: it stands in a subquery of an expression, not in FROM."""

    stream: Stream
    clause: Clause
    inner: bool
    table: str = ""
    window: Window = field(init=False)
    frequency: Frequency | None = field(init=False)

    def __post_init__(self) -> None:
        check(self.stream, self.clause)
        self.window = self.clause.window or UNBOUNDED
        self.frequency = self.clause.frequency
        if self.frequency and self.clause.window is None:  # a lone frequency: all of a thinner stream
            self.stream = kept(self.stream, sample(self.stream, self.frequency))
            self.frequency = None
        if self.frequency and self.step == 1 and not self.frequency.partition_by:
            self.frequency = None
        self.all = list(range(len(self.stream.rows)))

    @property
    def step(self) -> int:
        """The number of tuples between two jumps; 0: it slides or ticks."""
        return self.frequency.length.n if self.frequency and self.frequency.length.by_tuples else 0

    @property
    def ticking(self) -> bool:
        return self.frequency is not None and not self.frequency.length.by_tuples

    def time(self, index: int) -> Time:
        """A latent stream has its own time: one unit for each tuple."""
        return index if self.stream.times is None else self.stream.time(index)

    def until(self, time: Time) -> list[int]:
        return [i for i in self.all if self.time(i) <= time]

    def sliding_at(self, past: list[int], time: Time) -> Content:
        """The window of these tuples at this time."""
        return tuple(members(self.stream, self.window, past, time))

    def at_jump(self, number: int) -> Content:
        """The window as of the n-th tuple; none before the first."""
        return tuple(at_tuple(self.stream, self.window, self.all, number))

    def at_tick(self, tick: Time) -> Content:
        return tuple(at_tick(self.stream, self.window, self.all, tick))

    def grid(self) -> tuple[Time, Time]:
        """Origin and step of its ticks."""
        assert self.frequency is not None
        step = self.stream.span(self.frequency.length)
        return slot_end(self.stream, self.frequency, 0) % step, step

    def due_ticks(self) -> list[Time]:
        """The ticks that evaluate by §3."""
        assert self.frequency is not None
        return ticks(self.stream, self.window, self.frequency, self.all)

    def emptied_ticks(self) -> list[Time]:
        """The first ticks at which the window has become empty."""
        due, step = self.due_ticks(), self.grid()[1]
        if self.window.kind not in ("time", "now"):
            return []
        return [t + step for t in due if t + step not in set(due)]

    def turns(self) -> list[Time]:
        """The times at which the content of a window without ticks may change, in order."""
        if self.step:
            return sorted({self.time(i) for i in self.all[self.step - 1 :: self.step]})
        found = {self.time(i) for i in self.all}
        if self.window.kind == "now":
            found |= {self.time(i) + 1 for i in self.all}
        if self.window.kind == "time":
            assert self.window.length is not None
            lag = self.stream.span(self.window.lag) if self.window.lag else 0
            reach = self.stream.span(self.window.length)
            found |= {self.time(i) + lag for i in self.all} | {self.time(i) + lag + reach for i in self.all}
        return sorted(found)


def kept(stream: Stream, indexes: Sequence[int]) -> Stream:
    times = [stream.time(i) for i in indexes] if stream.times is not None else None
    return Stream(stream.columns, [stream.rows[i] for i in indexes], times, stream.time_type, stream.ordered)


def check_together(leaves: Sequence[Leaf], operator: str) -> None:
    """Refuses streams that have no common clock, and jumps of substreams where the whole block jumps."""
    streams = [leaf.stream for leaf in leaves]
    if sum(s.times is None for s in streams) > 1:
        raise Refused("CSQL_STREAMS_LATENT", "two latent streams have no common order")
    if len({s.time_type for s in streams}) > 1:
        raise Refused("CSQL_TIME_TYPES_DIFFER", "times of different types cannot be merged")
    for leaf in leaves:
        if leaf.frequency and leaf.frequency.partition_by and (operator or len(leaves) > 1):
            raise Refused(
                "CSQL_JUMP_PARTITIONED", "substreams jump on their own", leaf.frequency.length.position
            )
