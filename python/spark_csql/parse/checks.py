"""What is wrong with a statement, if anything of ours is."""

from __future__ import annotations

import itertools

from spark_csql.parse import frames
from spark_csql.parse.cursor import Tokens
from spark_csql.parse.finder import Bracket, Findings
from spark_csql.parse.places import Slot
from spark_csql.parse.problem import Problem, Refused, refusal

_IN_FROM = (
    "A window stands behind a relation or a subquery in FROM, as in FROM s [Range 1 Hour] AS x; "
    "each has one pair of brackets at most."
)
_FREQUENCY = "A Frequency stands once behind a relation in FROM, or once in a SELECT list."


def problem_of(found: Findings) -> Problem | None:
    """The first fault in a statement, in the engine's order."""
    if found.fault:
        return found.fault
    try:
        if found.certain:
            owned = {} if found.doubtful else _owned(found)
            _check_relations(found, owned)
            _check_tails(found)
            _check_lists(found, owned)
    except Refused as refused:
        return refused.problem
    return next((problem for problem in (problem_of(inner) for _, inner in found.inner) if problem), None)


def _owned(found: Findings) -> dict[Slot, list[Bracket]]:
    owned: dict[Slot, list[Bracket]] = {}
    for bracket in found.brackets:
        if bracket.slot is None:
            raise _misplaced(found.tokens, bracket)
        owned.setdefault(bracket.slot, []).append(bracket)
    return owned


def _check_relations(found: Findings, owned: dict[Slot, list[Bracket]]) -> None:
    """A relation has one clause."""
    for slot, (_, *others) in owned.items():
        if slot.section == "from" and others:
            raise _misplaced(found.tokens, others[0])


def _check_lists(found: Findings, owned: dict[Slot, list[Bracket]]) -> None:
    """A SELECT list has one Frequency, and no window."""
    for slot, (first, *others) in owned.items():
        if slot.section != "select":
            continue
        if others:
            raise refusal(
                "CSQL_CLAUSE_DOUBLED",
                found.tokens[others[0].first],
                found.tokens[others[0].last],
                part="The Frequency of the SELECT list",
            )
        if first.windowed:
            raise _misplaced(found.tokens, first)


def _check_tails(found: Findings) -> None:
    for tail in found.tails:
        frame = frames.frame_start(found.tokens, tail)
        if frame is not None:
            frames.check_fit(found.tokens, tail, frame)


def _misplaced(tokens: Tokens, bracket: Bracket) -> Refused:
    first, last = tokens[bracket.first], tokens[bracket.last]
    words = [tokens[i] for i in range(bracket.first, bracket.last + 1)]
    gaps = [" " if after.start > before.stop else "" for before, after in itertools.pairwise(words)]
    text = "".join(word.text + gap for word, gap in zip(words, [*gaps, ""], strict=True))
    hint = _IN_FROM if bracket.windowed else _FREQUENCY
    return refusal("CSQL_CLAUSE_MISPLACED", first, last, clause=text, hint=hint)
