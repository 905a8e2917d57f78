"""The case files in batch: the streams are tables, the answer is the whole answer stream.

CSQL_ANY_ORDER=1 compares rows in any order, which helps to tell a wrong answer from a wrong order.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests import slt
from tests.batch import Batch, error_class_of, position_of
from tests.values import difference

FILES = slt.case_files()
GROUPS = {f.label: pytest.mark.xdist_group(f"batch {f.label}") for f in FILES}
QUERIES = [
    pytest.param(f, q, id=f"{f.label}:{q.name}", marks=GROUPS[f.label]) for f in FILES for q in f.queries
]
REFUSALS = [
    pytest.param(f, r, id=f"{f.label}:{r.line}:{r.error_class}", marks=GROUPS[f.label])
    for f in FILES
    for r in f.refusals
]
LAYOUTS = [pytest.param(3, id="3-partitions"), pytest.param(1, id="1-partition", marks=pytest.mark.long)]
ANY_ORDER = bool(os.environ.get("CSQL_ANY_ORDER"))


class Sessions:
    """One session per file and layout, made when the first query wants it."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self.made: dict[tuple[str, int], Batch] = {}

    def of(self, file: slt.CaseFile, partitions: int) -> Batch:
        key = (file.label, partitions)
        if key not in self.made:
            self.made[key] = Batch(self.spark, file.relations.values(), partitions)
        return self.made[key]


@pytest.fixture(scope="module")
def sessions(spark: Any) -> Sessions:
    return Sessions(spark)


@pytest.mark.parametrize("partitions", LAYOUTS)
@pytest.mark.parametrize(("file", "query"), QUERIES)
def test_answer(sessions: Sessions, file: slt.CaseFile, query: slt.Query, partitions: int) -> None:
    actual = sessions.of(file, partitions).answer(query.sql, query.settings, query.args)
    told = difference(query.rows, actual, query.ordered and not ANY_ORDER)
    assert told is None, f"{file.label}:{query.line}\n{query.sql}\n{told}"


@pytest.mark.parametrize(("file", "refusal"), REFUSALS)
def test_refusal(sessions: Sessions, file: slt.CaseFile, refusal: slt.Refusal) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is checked below
        sessions.of(file, 1).answer(refusal.sql, refusal.settings)
    place = f"{file.label}:{refusal.line}\n{refusal.sql}\n{caught.value}"
    assert error_class_of(caught.value) == refusal.error_class, place
    if refusal.position:
        assert position_of(caught.value) == refusal.position, place
