"""Windows and frequencies, word for word from semantics §2 and §3: which tuples, and when.

Tuples are named by their index in the stream, from 0. A *sequence* is a list of them: all, or a substream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle.clauses import Clause, Frequency, Window
from tests.oracle.errors import NotCovered, Refused
from tests.oracle.streams import Stream, Time, needs_time

UNBOUNDED = Window("unbounded")


@dataclass(frozen=True)
class Evaluation:
    """The block is evaluated at this instant over these tuples.

    `new`: a sliding window answers for the tuples that were not in it before; None: a jump answers for all.
    """

    instant: Time | None
    window: tuple[int, ...]
    new: tuple[int, ...] | None


def substreams(stream: Stream, columns: Sequence[str]) -> list[list[int]]:
    """The stream's indexes by the values of these columns, values ascending with NULLs first."""
    groups: dict[tuple[tuple[bool, object], ...], list[int]] = {}
    for index in range(len(stream.rows)):
        groups.setdefault(stream.key(columns, index), []).append(index)
    return [groups[key] for key in sorted(groups)]


def members(stream: Stream, window: Window, past: list[int], instant: Time | None) -> list[int]:
    """W at a moment: `past` are the tuples that have arrived, `instant` is the time."""
    if window.partition_by:
        whole = Window(window.kind, window.length, window.lag, window.start, window.until)
        arrived = set(past)
        groups = [[i for i in group if i in arrived] for group in substreams(stream, window.partition_by)]
        return sorted(i for group in groups for i in members(stream, whole, group, instant))
    if window.kind == "unbounded":
        return past
    if window.kind == "tuples":
        assert window.length is not None
        end = len(past) - (window.lag.n if window.lag else 0)
        return past[max(0, end - window.length.n) : max(0, end)]
    assert instant is not None
    if window.kind == "now":
        return [i for i in past if stream.time(i) == instant]
    if window.kind == "time":
        assert window.length is not None
        upper = instant - (stream.span(window.lag) if window.lag else 0)
        return [i for i in past if upper - stream.span(window.length) < stream.time(i) <= upper]
    assert window.kind == "fixed"
    return [
        i
        for i in past
        if (window.start is None or stream.time(i) >= stream.literal(window.start))
        and (window.until is None or stream.time(i) <= stream.literal(window.until))
    ]


def at_tuple(stream: Stream, window: Window, sequence: list[int], j: int) -> list[int]:
    """W(j) over a sequence of tuples, j from 1; W(0) is empty."""
    if j == 0:
        return []
    instant = stream.time(sequence[j - 1]) if stream.times is not None else None
    return members(stream, window, sequence[:j], instant)


def at_tick(stream: Stream, window: Window, sequence: list[int], tick: Time) -> list[int]:
    return members(stream, window, [i for i in sequence if stream.time(i) <= tick], tick)


def origin(stream: Stream, frequency: Frequency) -> Time:
    return stream.literal(frequency.origin) if frequency.origin is not None else 0


def slot_end(stream: Stream, frequency: Frequency, time: Time) -> Time:
    """The end q+i·t of the slot (q+(i-1)·t, q+i·t] that holds this time."""
    q, t = origin(stream, frequency), stream.span(frequency.length)
    return q + -(-(time - q) // t) * t


def sample(stream: Stream, frequency: Frequency) -> list[int]:
    """F alone: every n-th tuple, or the last tuple of each slot, of each substream."""
    kept: list[int] = []
    for sequence in substreams(stream, frequency.partition_by):
        if frequency.length.by_tuples:
            kept += sequence[frequency.length.n - 1 :: frequency.length.n]
        else:
            last = {slot_end(stream, frequency, stream.time(i)): i for i in sequence}
            kept += last.values()
    return sorted(kept)


def ticks(stream: Stream, window: Window, frequency: Frequency, sequence: list[int]) -> list[Time]:
    """The ticks that evaluate over this sequence."""
    ends = {j: slot_end(stream, frequency, stream.time(i)) for j, i in enumerate(sequence, 1)}
    if window.kind in ("tuples", "unbounded", "fixed"):  # never empties by itself: the slot saw a change
        changed = [
            j
            for j in ends
            if at_tuple(stream, window, sequence, j) != at_tuple(stream, window, sequence, j - 1)
        ]
        return sorted({ends[j] for j in changed})
    step = stream.span(frequency.length)
    reach = stream.span(window.length) if window.length else 1
    lag = stream.span(window.lag) if window.lag else 0
    candidates: set[Time] = set()
    for j, i in enumerate(sequence, 1):  # a tuple is in no window after its time + lag + reach
        candidates.update(range(ends[j], stream.time(i) + lag + reach + 1, step))
    return sorted(t for t in candidates if at_tick(stream, window, sequence, t))


def check(stream: Stream, clause: Clause) -> None:
    """Refuses what does not fit the stream, also when it is empty."""
    if stream.times is None and needs_time(clause):
        raise Refused("CSQL_TIME_COLUMN_MISSING", "a time clause on a latent stream", clause.position)
    window, frequency = clause.window, clause.frequency
    for length in (window and window.length, window and window.lag, frequency and frequency.length):
        if length and not length.by_tuples:
            stream.span(length)
    for part in (window, frequency):
        for column in part.partition_by if part else ():
            stream.position(column, clause)


def evaluations(stream: Stream, clause: Clause) -> tuple[Stream, list[Evaluation]]:
    """When the window of this clause evaluates and over what; a lone frequency first thins the stream."""
    check(stream, clause)
    window, frequency = clause.window, clause.frequency
    if window is None and frequency is not None:
        kept = sample(stream, frequency)
        times = [stream.time(i) for i in kept] if stream.times is not None else None
        stream = Stream(
            stream.columns, [stream.rows[i] for i in kept], times, stream.time_type, stream.ordered
        )
        frequency = None
    window = window or UNBOUNDED
    parts = substreams(stream, frequency.partition_by) if frequency else [list(range(len(stream.rows)))]
    by = [
        set(map(str.lower, part.partition_by)) for part in (window, frequency) if part and part.partition_by
    ]
    if len(by) == 2 and by[0] != by[1]:
        raise NotCovered("Range and Frequency partitioned by different columns")
    found: list[tuple[int, Evaluation]] = []  # with the place in the answer stream
    for sequence in parts:
        if frequency is None or frequency.length.by_tuples:
            step = frequency.length.n if frequency else 1
            for j in range(step, len(sequence) + 1, step):
                now = at_tuple(stream, window, sequence, j)
                before = set(at_tuple(stream, window, sequence, j - 1))
                new = tuple(i for i in now if i not in before) if step == 1 else None
                instant = stream.time(sequence[j - 1]) if stream.times is not None else None
                found.append((sequence[j - 1], Evaluation(instant, tuple(now), new)))
        else:
            for tick in ticks(stream, window, frequency, sequence):
                found.append((tick, Evaluation(tick, tuple(at_tick(stream, window, sequence, tick)), None)))
    return stream, [
        evaluation for _, evaluation in sorted(found, key=lambda f: f[0])
    ]  # stable: parts in value order
