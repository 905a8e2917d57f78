"""Which tuples an OVER looks at, which of them yield a row, and when tuples expire (semantics §8).

Tuples are named by their index in the sequence of rows that FROM and WHERE leave, from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.oracle.over import Spec
from tests.oracle.streams import Stream, Time


@dataclass(frozen=True)
class Event:
    """A tuple arrives, or (`expired` is set) expires from this window."""

    instant: Time | None
    index: int
    expired: object = None


@dataclass
class Slides:
    """One window over a stream whose tuples have these partition values."""

    spec: Spec
    stream: Stream
    partitions: list[tuple[Any, ...]]
    reach: Time | None = field(init=False)  # of a RANGE n

    def __post_init__(self) -> None:
        timed = not self.spec.rows and self.spec.length is not None
        self.reach = self.stream.span(self.spec.length) if timed and self.spec.length else None
        if not self.spec.rows and self.spec.slide:
            self.stream.span(self.spec.slide)

    @property
    def same(self) -> object:
        """Windows with the same value of this expire the same tuples together."""
        return tuple(text.lower() for text in self.spec.partition_by), self.reach

    def substream(self, index: int) -> list[int]:
        """The tuples of the partition of tuple `index`."""
        return [i for i, values in enumerate(self.partitions) if values == self.partitions[index]]

    def at_arrival(self, index: int) -> list[int]:
        """ROWS n: the tuple and the n before it; RANGE n: times in [τ−n, τ], up to the tuple."""
        past = [i for i in self.substream(index) if i <= index]
        if self.spec.tuples is not None:
            return past[-self.spec.tuples :]
        if self.reach is None:
            return past
        return [i for i in past if self.stream.time(i) >= self.stream.time(index) - self.reach]

    def expiry(self, index: int) -> Time:
        assert self.reach is not None
        return self.stream.time(index) + self.reach

    def after_expiry(self, index: int) -> list[int]:
        """What is left when this tuple has gone: arrivals of that instant are there, ties go one by one."""
        instant = self.expiry(index)
        arrived = [i for i in self.substream(index) if self.stream.time(i) <= instant]
        return [i for i in arrived if i > index and self.stream.time(i) >= self.stream.time(index)]

    def yields(self, index: int) -> bool:
        """Whether the tuple is the last one of its slot; without SLIDE every tuple is."""
        slide = self.spec.slide
        if slide is None:
            return True
        sequence = self.substream(index)
        if self.spec.rows:
            return (sequence.index(index) + 1) % slide.n == 0
        length = self.stream.span(slide)
        slots = {i: -(-self.stream.time(i) // length) for i in sequence}  # (q+(s-1)·m, q+s·m], q = 0
        return index == max(i for i in sequence if slots[i] == slots[index])

    @property
    def tumbles(self) -> bool:
        """Whether the slide is at least as long as the window."""
        if self.spec.slide is None or self.spec.length is None:
            return False
        if self.spec.tuples is not None:
            return self.spec.slide.n >= self.spec.tuples
        assert self.reach is not None
        return self.stream.span(self.spec.slide) >= self.reach


def events(stream: Stream, windows: list[Slides]) -> list[Event]:
    """Arrivals in the order of the stream; expiries after the arrivals of their instant, one by one in order."""
    arrivals = [
        Event(stream.time(i) if stream.times is not None else None, i) for i in range(len(stream.rows))
    ]
    active = {w.same: w for w in windows if w.spec.active}
    expiries = [
        Event(window.expiry(i), i, same) for i in range(len(stream.rows)) for same, window in active.items()
    ]
    if not expiries:
        return arrivals
    return sorted(arrivals + expiries, key=lambda e: (e.instant, e.expired is not None))  # stable: in order
