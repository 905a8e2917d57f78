"""The errors of the case files on streams: the same classes, at the same places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import slt
from tests.batch import error_class_of, position_of
from tests.oracle.streams import time_column
from tests.stream import Streaming
from tests.stream_cuts import Cut
from tests.stream_reading import NO_CLAUSE, Reading

FILES = [file for file in slt.case_files() if file.refusals]
REFUSALS = [pytest.param(f, r, id=f"{f.label}:{r.line}:{r.error_class}") for f in FILES for r in f.refusals]


def reading_all(file: slt.CaseFile) -> Reading:
    """Everything that is fed arrives as a stream."""
    reads = Reading()
    for name, relation in file.relations.items():
        if relation.kind == "aggregate":
            continue
        if relation.query is not None:
            reads.derived.add(name)
            continue
        chosen = time_column(relation.columns, relation.order_by, NO_CLAUSE)
        reads.streams[name] = chosen[0] if chosen else None
        if relation.kind == "stream":
            reads.declared.add(name)
    return reads


@pytest.mark.parametrize(("file", "refusal"), REFUSALS)
def test_refusal(spark: Any, tmp_path: Path, file: slt.CaseFile, refusal: slt.Refusal) -> None:
    reads = reading_all(file)
    rows = tuple((name, row) for name in reads.streams for row in file.relations[name].rows)
    query = slt.Query("refused", refusal.sql, [], [], {}, refusal.settings, refusal.line, (0, 0))
    outcome = Streaming(spark, tmp_path, file.relations, reads).answers(
        [query], Cut("one", (rows,), apart=False)
    )[0]
    place = f"{file.label}:{refusal.line}\n{refusal.sql}\n{outcome.error or outcome.rows}"
    assert outcome.error is not None, place
    assert error_class_of(outcome.error) == refusal.error_class, place
    if refusal.position:
        assert position_of(outcome.error) == refusal.position, place
