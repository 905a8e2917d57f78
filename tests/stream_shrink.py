"""The smallest cut that still fails, as text that can be read and repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tests.slt import Query, Relation
from tests.stream_cuts import Cut
from tests.stream_reading import Reading
from tests.values import render_rows


def shrunk(cut: Cut, fails: Callable[[Cut], bool], tries: int) -> Cut:
    """Fewer batches, restarts and rows, as long as it fails; `tries` bounds the number of runs."""
    left = tries
    smaller = next_smaller(cut)
    while left > 0:
        candidate = next(smaller, None)
        if candidate is None:
            return cut
        left -= 1
        if fails(candidate):
            cut = candidate
            smaller = next_smaller(cut)
    return cut


def next_smaller(cut: Cut) -> Iterator[Cut]:
    """Cuts that are a little smaller, the bold ones first."""
    if len(cut.batches) > 1 or cut.restarts:
        yield Cut(cut.label, (tuple(item for batch in cut.batches for item in batch),), (), False)
    if cut.restarts:
        yield replace(cut, restarts=())
    if cut.apart:
        yield replace(cut, apart=False)
    for at in range(len(cut.batches) - 1):
        yield cut.merged(at)
    size = sum(map(len, cut.batches)) // 2
    while size:
        yield from (kept for kept in chunks_dropped(cut, size))
        size //= 2


def chunks_dropped(cut: Cut, size: int) -> Iterator[Cut]:
    """The cut without `size` neighbouring rows, from the end to the beginning."""
    places = [(b, r) for b, batch in enumerate(cut.batches) for r in range(len(batch))]
    for start in range(len(places) - size, -1, -size):
        smaller = cut
        for batch, row in reversed(places[start : start + size]):
            smaller = smaller.without(batch, row)
        yield smaller


def fed_by(cut: Cut, relations: Mapping[str, Relation], reads: Reading) -> dict[str, Relation]:
    """The relations with no more rows than the cut brings."""
    rows = {name: [row for batch in cut.batches for n, row in batch if n == name] for name in reads.streams}
    return {name: replace(r, rows=rows.get(name, r.rows)) for name, r in relations.items()}


def text(cut: Cut, relations: Mapping[str, Relation], reads: Reading, query: Query) -> str:
    """The cut in the words of a case file, with its borders as comments."""
    lines: list[str] = []
    for name in (*reads.tables, *reads.streams):
        relation = relations[name]
        columns = ", ".join(f"{c.name} {c.type}" for c in relation.columns)
        order = f" order by {', '.join(relation.order_by)}" if relation.order_by else ""
        lines += [f"{relation.kind} {relation.name} ({columns}){order}", ""]
        if name in reads.tables and relation.rows:
            lines += [f"feed {relation.name}", *render_rows(relation.rows), ""]
    for name, relation in relations.items():
        if name in reads.derived and relation.query:
            order = f" order by {', '.join(relation.order_by)}" if relation.order_by else ""
            lines += [f"{relation.kind} {relation.name}{order} as", relation.query, ""]
    for number, batch in enumerate(cut.batches):
        lines.append(f"# {'stop and restart, then ' * (number in cut.restarts)}micro-batch {number}")
        for name in dict.fromkeys(n for n, _ in batch):
            lines += [f"feed {relations[name].name}", *render_rows(row for n, row in batch if n == name), ""]
    stop = "stop and restart, then " * (len(cut.batches) in cut.restarts)
    lines.append(
        f"# {stop}the end of the streams {'in a batch of its own' if cut.apart else 'in the same batch'}"
    )
    return "\n".join([*lines, "", f"query {query.name}", query.sql])
