"""When a query over several windows is evaluated, and what the windows hold then.

Without an operator (semantics §6) arrivals, jumps and ticks evaluate, one by one; with one (§7) the instants do at
which a window has changed, each once, after all that happens at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle.leaves import Content, Leaf
from tests.oracle.streams import Time

Contents = tuple[Content, ...]


@dataclass(frozen=True)
class Moment:
    time: Time
    contents: Contents  # one for each leaf


def deciding(leaves: Sequence[Leaf]) -> list[int]:
    """The places of the leaves that decide when a jumping block answers: those of FROM.

    A block that reads streams in subqueries only is decided by these.
    """
    return [i for i, leaf in enumerate(leaves) if not leaf.inner] or list(range(len(leaves)))


def jump_together(leaves: Sequence[Leaf]) -> bool:
    """Whether the block jumps as a whole: its one stream jumps, or all its streams have the same ticks.

    Frequencies that differ, also those in tuples of different streams, never make all items jump at the same moments.
    """
    chosen = [leaves[i] for i in deciding(leaves)]
    if len(chosen) == 1:
        return chosen[0].frequency is not None
    return all(leaf.ticking for leaf in chosen) and len({leaf.grid() for leaf in chosen}) == 1


def evaluations(leaves: Sequence[Leaf]) -> list[Moment]:
    """Streams merged by time; at one time those of subqueries first, so that FROM meets their windows of that
    instant, then those of FROM in their order, then the ticks."""
    answering = set(deciding(leaves)) if jump_together(leaves) else set(range(len(leaves)))
    ranks = sorted(range(len(leaves)), key=lambda i: (not leaves[i].inner, i))
    arrivals = [
        (leaf.time(index), 0, ranks.index(i), index) for i, leaf in enumerate(leaves) for index in leaf.all
    ]
    due = {i: set(leaf.due_ticks()) for i, leaf in enumerate(leaves) if leaf.ticking}
    # a window that is empty stays so until the next tick that evaluates: no other tick changes it
    tick_times = {t for i in due for t in (*due[i], *leaves[i].emptied_ticks())}
    events = sorted([*arrivals, *((t, 1, 0, 0) for t in tick_times)])
    past: list[list[int]] = [[] for _ in leaves]
    held: list[Content] = [() for _ in leaves]
    moments = []
    for time, tick, rank, index in events:
        moved = []
        if tick:
            for i in due:
                origin, step = leaves[i].grid()
                if (time - origin) % step == 0:
                    held[i] = leaves[i].at_tick(time)
                    moved += [i] if time in due[i] else []
        else:
            i = ranks[rank]
            past[i].append(index)
            if leaves[i].step and len(past[i]) % leaves[i].step == 0:
                held[i] = leaves[i].at_jump(len(past[i]))
                moved.append(i)
            elif leaves[i].frequency is None:
                moved.append(i)
        if answering.intersection(moved):
            contents = tuple(
                held[i] if leaf.frequency else leaf.sliding_at(past[i], time) for i, leaf in enumerate(leaves)
            )
            moments.append(Moment(time, contents))
    return moments


def instants(leaves: Sequence[Leaf]) -> list[Moment]:
    """The instants of §7: changes of windows by arrival and expiry, jumps that change the window, due ticks and
    the first tick at which a window has become empty."""
    courses = [course(leaf) for leaf in leaves]
    times = sorted({time for changes in courses for time in changes})
    now: list[Content] = [() for _ in leaves]
    moments = []
    for time in times:
        for i, changes in enumerate(courses):
            now[i] = changes.get(time, now[i])
        moments.append(Moment(time, tuple(now)))
    return moments


def course(leaf: Leaf) -> dict[Time, Content]:
    """The instants of one window, with what it holds from then on."""
    if leaf.ticking:
        return {t: leaf.at_tick(t) for t in (*leaf.due_ticks(), *leaf.emptied_ticks())}
    changes: dict[Time, Content] = {}
    before: Content = ()
    for time in leaf.turns():
        past = leaf.until(time)
        now = leaf.at_jump(len(past) // leaf.step * leaf.step) if leaf.step else leaf.sliding_at(past, time)
        if now != before:
            changes[time] = before = now
    return changes
