"""The results of the part «keys»."""

from __future__ import annotations

from bench.measure import Measured
from bench.parts.keys import KEYS, WORKS, how
from bench.report import markdown
from bench.report.targets import Faster, Target, Within
from bench.results import Result
from bench.stream_works import BY_HAND, STORES
from bench.work import OURS

TICKS, OVERLAPPING, SHORT, LONG = (work.name for work in WORKS)


def targets(keys: int, store: str) -> list[Target]:
    ours, wanted = f"{OURS}, {store}", how(keys)
    return [
        *(Faster(work, f"Spark, window() {store}", 1, wanted, ours) for work in (TICKS, OVERLAPPING)),
        Within(LONG, [(SHORT, ours)], 1.3, wanted, ours),
        Within(SHORT, [(OVERLAPPING, f"Spark, window() {store}")], 2, wanted, ours),
        *(Faster(work, label, 1, wanted, ours) for work in (SHORT, LONG) for label in by_hand_in(store)),
    ]


def by_hand_in(store: str) -> list[str]:
    return [label for label, own in BY_HAND.items() if own == STORES[store]]


def report(result: Result) -> str:
    judged = markdown.verdicts(
        result, (target for keys in KEYS for store in STORES for target in targets(keys, store))
    )
    replayed = f"{result.content['replayed']:,} of {markdown.circumstances(result)}"
    return "\n\n".join([replayed, judged, states(result), markdown.all_measurements(result)])


def states(result: Result) -> str:
    """How large the state is, and where the time of our operator goes."""
    rows = [
        [f"`{work['name']}`", f"{work['keys']:,}", each.label, *state(each, work["keys"])]
        for work in result.content["works"]
        for each in result.works[work["name"], work["how"]]
        if each.told
    ]
    seconds = ["elapsed s", "state s", "kernel and input s", "commit s"]
    return markdown.table(["work", "keys", "engine", "state bytes a key", *seconds], rows)


def state(measured: Measured, keys: int) -> list[str]:
    told = measured.told
    spent = [told["state s"], told["kernel s"], told["commit s"]]
    # Spark's own operators do not tell these two apart
    shown = [f"{each:.2f}" if each else "" for each in spent]
    return [f"{told['state bytes'] / keys:,.0f}", f"{measured.best:.2f}", *shown]
