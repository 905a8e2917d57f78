"""docs/errors.md tells every error condition, in the words that users see."""

from __future__ import annotations

import json

from tools import error_docs


def test_the_page_is_up_to_date() -> None:
    assert error_docs.PAGE.read_text(encoding="utf-8") == error_docs.page(), "run 'make fmt'"


def test_every_condition_is_on_the_page() -> None:
    headings = [line for line in error_docs.page().splitlines() if line.startswith("## ")]
    assert headings == [f"## {name}" for name in sorted(json.loads(error_docs.CATALOGUE.read_text()))]
