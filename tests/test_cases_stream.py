"""The case files on streams: the same answers however the rows are cut into micro-batches, and across restarts.

CSQL_STREAM_SEED chooses other random cuts ("new" draws a seed and tells it). Each failure tells the seed and a cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.batch import error_class_of
from tests.stream import Streaming
from tests.stream_cases import CASES, SAMPLED, SEED, Case, Runs
from tests.stream_cuts import Cut

WHOLE = [case for case in CASES if case.reads.whole]
# What a stream refuses by name: times that Spark's watermark cannot carry, and a second time column.
REFUSED = {case.name: "CSQL_STREAM_TIME_NEGATIVE" for case in CASES if case.before_zero}
REFUSED["nesting.slt:on-overrides-the-answer-time"] = "CSQL_TIME_NOT_WATERMARKED"
# An expiry comes later than the time that its row is ordered by.
REFUSED["papers-esl-applications.slt:example-18-the-stream-of-alarms"] = "CSQL_TIME_NOT_WATERMARKED"
# Plain SQL, whose window looks at rows that have not come.
REFUSED["over-mixed.slt:plain-rank"] = "CSQL_STREAM_OVER"
REFUSED["aggregates-sql-over.slt:evaluation-time-beside-a-plain-function"] = "CSQL_STREAM_OVER"
# A blocking aggregate written in SQL, without a window, answers at the end of its input only.
BLOCKED = {
    f"{file}.slt:{name}": "CSQL_AGGREGATE_BLOCKING"
    for file, names in {
        "aggregates-sql-base": ["a-stream-that-has-ended", "a-stream-that-has-ended-beside-a-built-in"],
        "aggregates-sql-statements": ["grouped-in-the-body"],
        "papers-esl": ["example-7-avg-of-a-stream-that-has-ended", "example-7-avg-for-each-seller"],
    }.items()
    for name in names
}
ANSWERED = [c for c in CASES if c.reads.streams and not c.reads.whole and c.name not in REFUSED]
OTHERS = ("one", "rows", "empty")


def parameters(cases: Sequence[Case], kinds: Sequence[str]) -> Iterator[Any]:
    for kind in kinds:
        for case in cases:
            marks = [pytest.mark.xdist_group(f"{kind} {case.group}")]
            if kind != "random" and case.group not in SAMPLED:
                marks.append(pytest.mark.long)
            yield pytest.param(case, kind, id=f"{case.name}:{kind}", marks=marks)


@pytest.fixture(scope="module")
def runs(spark: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Runs of the tests that were selected, those over the same streams together."""
    chosen = [getattr(item, "callspec", None) for item in request.session.items]
    given = [c.params for c in chosen if c is not None and {"case", "kind"} <= set(c.params)]
    return Runs(spark, tmp_path_factory.mktemp("stream"), [(p["case"], p["kind"]) for p in given])


@pytest.mark.parametrize(("case", "kind"), [*parameters(ANSWERED, ["random"]), *parameters(ANSWERED, OTHERS)])
def test_answer(runs: Runs, case: Case, kind: str) -> None:
    told = runs.wrong(case, kind)
    assert told is None, f"CSQL_STREAM_SEED={SEED} {case.name} {kind}\n{case.query.sql}\n{told}"


@pytest.mark.parametrize(
    ("case", "kind"), list(parameters([c for c in CASES if c.name in REFUSED], ["random"]))
)
def test_refused_on_streams(runs: Runs, case: Case, kind: str) -> None:
    outcome, _ = runs.outcome(case, kind)
    assert outcome.error is not None, f"{case.query.sql}\nanswered {outcome.rows}"
    assert error_class_of(outcome.error) == REFUSED[case.name], outcome.error


def test_few_queries_are_refused() -> None:
    assert len(REFUSED) == 10, list(REFUSED)
    assert {name.split(":")[0] for name in REFUSED} == {
        "aggregates-sql-over.slt",
        "time-types.slt",
        "nesting.slt",
        "over-mixed.slt",
        "papers-esl-applications.slt",
    }


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case.name)
def test_what_needs_the_whole_answer_fails(spark: Any, tmp_path: Path, case: Case) -> None:
    items = tuple((name, row) for name in case.reads.streams for row in case.file.relations[name].rows)
    streaming = Streaming(spark, tmp_path, case.file.relations, case.reads)
    outcome = streaming.answers([case.query], Cut("one", (items,), apart=False))[0]
    assert outcome.error is not None, f"{case.query.sql}\nanswered {outcome.rows}"
    told = error_class_of(outcome.error)
    assert told == BLOCKED.get(case.name, told), outcome.error
    assert told not in ("AssertionError", "TimeoutError")


def test_few_queries_need_the_whole_answer() -> None:
    assert set(BLOCKED) <= {case.name for case in WHOLE}
    assert len(WHOLE) == 19, [case.name for case in WHOLE]
    assert {case.file.label for case in WHOLE} <= {
        "aggregates-sql-base.slt",
        "aggregates-sql-brackets.slt",
        "aggregates-sql-statements.slt",
        "papers-esl.slt",
        "derived.slt",
        "edge.slt",
        "nesting.slt",
        "over-mixed.slt",
        "top-n.slt",
        "unions.slt",
    }
