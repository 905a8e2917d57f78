"""The auction example answers its questions alike on tables and on streams."""

from __future__ import annotations

from typing import Any

import pytest

from examples import auction


def test_streams_and_tables_agree(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    auction.main(spark)
    told = capsys.readouterr().out
    assert told.count("The streams gave the same") == len(auction.QUESTIONS)
    assert "gave the same 0 rows" not in told
