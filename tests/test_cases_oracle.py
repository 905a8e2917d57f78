"""The answers that stand in the case files are the oracle's."""

from __future__ import annotations

import pytest

from tests import slt
from tests.oracle.check import check_answers, check_refusals

FILES = slt.case_files()


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.label)
def test_answers_are_the_oracles(file: slt.CaseFile) -> None:
    problems = check_answers(file) + check_refusals(file)
    assert not problems, "\n".join(problems)


def test_there_are_enough_cases() -> None:
    assert sum(len(f.queries) for f in FILES) >= 150
