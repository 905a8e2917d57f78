"""What a query must answer on streams: the oracle's answer, and what may come after it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.oracle import Catalog, answer
from tests.slt import Query, Relation
from tests.stream import Outcome
from tests.stream_cuts import LAST_BUT_ONE, ending
from tests.stream_reading import Reading
from tests.values import Row, difference, same


def beyond(query: Query, relations: Mapping[str, Relation], reads: Reading) -> list[Row]:
    """The answers that the rows before the last end may cause, when a windowed answer is made a stream again.

    Such a stream has a time of its own, which moves only by the answers it sees: these rows push it past the
    answers that are compared.
    """
    if not reads.again:
        return []
    fed = dict(relations)
    for name, time in reads.streams.items():
        if time is not None:
            more = ending(relations[name], time, LAST_BUT_ONE)
            fed[name] = replace(relations[name], rows=[*relations[name].rows, *more])
    catalog = Catalog.of(fed.values(), query.settings)
    return without(answer(catalog, query.sql, query.args).rows, query.rows)


def equal(a: Row, b: Row) -> bool:
    return len(a) == len(b) and all(map(same, a, b))


def without(rows: Sequence[Row], taken: Sequence[Row]) -> list[Row]:
    """A bag of rows less another one."""
    left = list(rows)
    for row in taken:
        at = next((i for i, r in enumerate(left) if equal(row, r)), None)
        if at is not None:
            del left[at]
    return left


def wrong(query: Query, outcome: Outcome, reads: Reading, extra: Sequence[Row] = ()) -> str | None:
    """What is wrong with an answer: an error, other rows, or instants that go back; None if nothing is."""
    if outcome.error is not None:
        return f"{type(outcome.error).__name__}: {outcome.error}"
    rows = outcome.rows
    if extra:
        surplus = without(rows, query.rows)
        known = without(surplus, without(surplus, extra))
        rows = without(rows, known)
    return difference(query.rows, rows, ordered=False) or goes_back(outcome, reads)


def goes_back(outcome: Outcome, reads: Reading) -> str | None:
    """Answers of a micro-batch come at or after all instants of the micro-batches before it."""
    if reads.instant is None:
        return None
    at = reads.instant
    times = [[row[at] for row in outcome.batches[n]] for n in sorted(outcome.batches)]
    for before, after in itertools.pairwise([t for t in times if t]):
        if max(before) > min(after):
            return f"an answer at {min(after)} comes in a later micro-batch than one at {max(before)}"
    return None
